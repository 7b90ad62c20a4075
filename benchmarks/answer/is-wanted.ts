/** Whether a name starts with one of those in a list with commas; without a list all are wanted. */
export const isWanted = (list: string | undefined, name: string): boolean =>
  list === undefined || list.split(',').some((start) => name.startsWith(start))
