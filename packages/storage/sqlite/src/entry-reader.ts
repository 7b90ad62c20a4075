import {
  damagedRowsError,
  removedError,
  piecesOfRange,
  splitId,
  type ByteRange,
  type DriverContent,
  type EntryId,
  type OpenEntry,
} from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import {
  batchesOf,
  copyChunks,
  findLineIndex,
  readOnlyChunk,
  type ContentOfEntry,
  type ContentPlace,
} from './contents.ts'
import { findEntry, type FoundEntry } from './entries.ts'
import type { Session } from './session.ts'

const MAX_ATTEMPTS = 10

export type WholeEntry = FoundEntry & { readonly info: NonNullable<FoundEntry['info']> }

/** Throws `corrupt` if the description is damaged. */
export async function findEntryInfo(connection: Connection, id: EntryId): Promise<WholeEntry | undefined> {
  return connection.read((session) => {
    const entry = wholeEntry(session, id)
    const lineIndex = entry && findLineIndex(session, entry.place.content)
    return entry && lineIndex !== undefined ? { ...entry, info: { ...entry.info, lineIndex } } : entry
  })
}

/** Throws `corrupt` if the content is damaged. */
export async function readEntry(
  connection: Connection,
  id: EntryId,
  range?: ByteRange,
): Promise<DriverContent | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const entry = await connection.read((session) => {
      const found = wholeEntry(session, id)
      const content =
        found && range === undefined && isOneChunk(found.place) ? readOnlyChunk(session, found) : undefined
      return found && { ...found, content }
    })
    if (entry === undefined) return undefined
    const content = entry.content ?? (await readParts(connection, entry, range))
    if (content !== undefined) return { content, info: entry.info }
    if (await exists(connection, entry)) throw damagedRowsError(id)
    // The entry was removed during the read and may be stored again.
  }
  return undefined
}

/** Content is never overwritten: as long as the entry exists, its content number has the same bytes. */
export async function openEntry(connection: Connection, id: EntryId): Promise<OpenEntry | undefined> {
  const entry = await findEntryInfo(connection, id)
  if (entry === undefined) return undefined
  return {
    info: entry.info,
    read: async (range, buffer) => {
      const content = await readParts(connection, entry, range, buffer)
      if (content !== undefined) return content
      throw (await exists(connection, entry)) ? damagedRowsError(id) : removedError(splitId(id).reference)
    },
    close: async () => undefined,
  }
}

/** Returns `undefined` if a byte is missing. */
async function readParts(
  connection: Connection,
  entry: ContentOfEntry,
  range?: ByteRange,
  buffer?: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { place } = entry
  const { length } = piecesOfRange(place.size, place.chunkBytes, range)
  const target = buffer?.subarray(0, length) ?? new Uint8Array(length)
  let filled = 0
  for (const span of batchesOf(place, range)) {
    const part = target.subarray(filled, filled + span.length)
    if ((await connection.read((session) => copyChunks(session, entry, span, part))) !== true) return undefined
    filled += span.length
  }
  return target
}

async function exists(connection: Connection, { id, place }: FoundEntry): Promise<boolean> {
  const now = await connection.read((session) => findEntry(session, id))
  return now?.place.content === place.content
}

const isOneChunk = ({ size, chunkBytes }: ContentPlace): boolean => size <= chunkBytes

/** Throws if the description is damaged, or if the entry may have been stored since this snapshot. */
function wholeEntry(session: Session, id: EntryId): WholeEntry | undefined {
  const entry = findEntry(session, id)
  if (entry === undefined) {
    session.assertCurrent()
    return undefined
  }
  if (entry.info === undefined) throw damagedRowsError(id)
  return { ...entry, info: entry.info }
}
