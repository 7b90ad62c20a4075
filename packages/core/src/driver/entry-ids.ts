import type { EntryId } from '../storage/entry-names.ts'

/** A character that sorts before all characters of ids, and one that sorts after them. */
const BEFORE_ALL = '!'
const AFTER_ALL = '~'
const AFTER_SLASH = '0'

/** Ids from `from` (included) to `to` (excluded), in the order of their characters. */
export interface IdRange {
  readonly from: string
  readonly to: string
}

/** Return the range of all ids that start with a prefix of {@link StorageDriver.list}. */
export const idRange = (prefix: string): IdRange => ({
  from: prefix,
  to: prefix === '' ? AFTER_ALL : prefix.slice(0, -1) + AFTER_SLASH,
})

/** Return the part of a range that follows an id. */
export const rangeAfter = (id: EntryId, { to }: IdRange): IdRange => ({ from: id + BEFORE_ALL, to })

/** Quote a text for a POSIX shell, for {@link StorageDriver.locate}. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
