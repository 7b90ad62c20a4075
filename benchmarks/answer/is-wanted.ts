/** Whether a name starts with one of the names in a comma-separated list. Without a list, all names are wanted. */
export const isWanted = (list: string | undefined, name: string): boolean =>
  list === undefined || list.split(',').some((start) => name.startsWith(start))
