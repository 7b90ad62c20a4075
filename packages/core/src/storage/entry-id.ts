import type { EntryId } from './storage-driver.ts'

/** Return the id of an entry: the path of its scope, if it has one, and its reference. */
export const entryId = (path: string, reference: string): EntryId => (path === '' ? reference : `${path}/${reference}`)

/** Return what the ids of a scope and of those below it start with. */
export const idPrefix = (path: string): string => (path === '' ? '' : `${path}/`)

/** Take an id apart again. */
export function splitId(id: EntryId): { path: string; reference: string } {
  const slash = id.lastIndexOf('/')
  return { path: slash < 0 ? '' : id.slice(0, slash), reference: id.slice(slash + 1) }
}
