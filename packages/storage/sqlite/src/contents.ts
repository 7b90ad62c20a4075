import { piecesOfRange, type ByteRange, type PieceSpan } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

/** Chunk `i` of a content has the number `content * MAX_CHUNKS + i`. */
export const MAX_CHUNKS: number = 2 ** 20
/** Number of bytes to write, read, or remove before yielding to the event loop. */
export const BATCH_BYTES: number = 2 * 1024 * 1024

export interface ContentPlace {
  readonly content: number
  readonly size: number
  readonly chunkBytes: number
}

/** The content of an entry. The content exists as long as the entry has its number. */
export interface ContentOfEntry {
  readonly id: string
  readonly place: ContentPlace
}

export interface LooseContent {
  readonly id: string
  readonly content: number
}

const INSERT = 'INSERT INTO spillway_chunk (number, bytes) VALUES (?, ?)'
export const SELECT_CHUNKS =
  'SELECT bytes FROM spillway_chunk WHERE number BETWEEN ? AND ? AND EXISTS (SELECT 1 FROM spillway_entry WHERE id = ? AND content = ?) ORDER BY number'
export const SELECT_CHUNK = 'SELECT bytes FROM spillway_chunk WHERE number = ?'
const SELECT_SIZES =
  'SELECT number, length(bytes) AS size FROM spillway_chunk WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?'
const DELETE = 'DELETE FROM spillway_chunk WHERE number BETWEEN ? AND ?'
const INSERT_LINES = 'INSERT INTO spillway_lines (content, line_index) VALUES (?, ?)'
const SELECT_LINES = 'SELECT line_index FROM spillway_lines WHERE content = ?'
const DELETE_LINES = 'DELETE FROM spillway_lines WHERE content = ?'
const INSERT_LOOSE = 'INSERT INTO spillway_loose (content, id, renewed_at) VALUES (?, ?, ?)'
const SELECT_LOOSE = 'SELECT 1 FROM spillway_loose WHERE content = ? AND id = ?'
const RENEW_LOOSE = 'UPDATE spillway_loose SET renewed_at = ? WHERE content = ? AND id = ? AND renewed_at > 0'
const CLAIM_LOOSE = 'UPDATE spillway_loose SET renewed_at = 0 WHERE content = ? AND id = ? AND renewed_at < ?'
const TAKE_LOOSE = 'DELETE FROM spillway_loose WHERE content = ? AND id = ? AND renewed_at > 0'
const DELETE_LOOSE = 'DELETE FROM spillway_loose WHERE content = ?'
/** Number of chunks to remove at once. The limit counts rows, because chunks of other versions may have any size. */
const PURGED_CHUNKS = 16

export function insertChunks(session: Session, content: number, first: number, chunks: readonly Uint8Array[]): void {
  const insert = session.prepare(INSERT)
  let number = content * MAX_CHUNKS + first
  for (const chunk of chunks) insert.run(number++, chunk)
}

/** Returns whether the entry and all its bytes existed. */
export function copyChunks(session: Session, entry: ContentOfEntry, span: PieceSpan, target: Uint8Array): boolean {
  let { skip } = span
  let filled = 0
  for (const chunk of selectChunks(session, entry, span)) {
    target.set(chunk.subarray(skip, skip + span.length - filled), filled)
    filled += Math.min(chunk.length - skip, span.length - filled)
    skip = 0
  }
  return filled === span.length
}

/** Returns the bytes of a content with at most one chunk. Returns `undefined` if the bytes are missing. */
export function readOnlyChunk(session: Session, { place }: ContentOfEntry): Uint8Array | undefined {
  const { content, size } = place
  if (size === 0) return new Uint8Array(0)
  // The entry was just found in this session, and numbers are never reused: no second lookup is needed.
  const row = session.get(SELECT_CHUNK, content * MAX_CHUNKS) as { readonly bytes: Uint8Array } | undefined
  return row?.bytes.length === size ? row.bytes : undefined
}

/** Returns no chunks if the entry is missing, or if a chunk is missing or has the wrong size. */
function selectChunks(
  session: Session,
  { id, place: { content, size, chunkBytes } }: ContentOfEntry,
  { first, end }: PieceSpan,
): Uint8Array[] {
  if (first === end) return []
  const base = content * MAX_CHUNKS
  const rows = session.all(SELECT_CHUNKS, base + first, base + end - 1, id, content) as readonly {
    readonly bytes: Uint8Array
  }[]
  const isWhole =
    rows.length === end - first &&
    rows.every(({ bytes }, index) => bytes.length === Math.min(chunkBytes, size - (first + index) * chunkBytes))
  return isWhole ? rows.map(({ bytes }) => bytes) : []
}

/** Removes some chunks of content without an entry, and at last its other rows. Keeps content of an entry. */
function purgeSome(session: Session, { id, content }: LooseContent): { bytes: number; ended: boolean } {
  if (session.get(SELECT_LOOSE, content, id) === undefined) return { bytes: 0, ended: true }
  const base = content * MAX_CHUNKS
  const rows = session.all(SELECT_SIZES, base, base + MAX_CHUNKS - 1, PURGED_CHUNKS) as readonly {
    readonly number: number
    readonly size: number
  }[]
  const last = rows.at(-1)
  if (last !== undefined) session.run(DELETE, base, last.number)
  const ended = rows.length < PURGED_CHUNKS
  if (ended) {
    session.run(DELETE_LINES, content)
    session.run(DELETE_LOOSE, content)
  }
  return { bytes: rows.reduce((sum, { size }) => sum + size, 0), ended }
}

/** Removes small content, and returns large content for later. The caller deletes the entry in the same transaction. */
export function releaseContent(
  session: Session,
  { id, place: { content, size } }: ContentOfEntry,
): LooseContent | undefined {
  if (size > BATCH_BYTES) {
    const loose = { id, content }
    insertLoose(session, loose, 0)
    return loose
  }
  if (size > 0) session.run(DELETE, content * MAX_CHUNKS, (content + 1) * MAX_CHUNKS - 1)
  session.run(DELETE_LINES, content)
  return undefined
}

export function insertLineIndex(session: Session, content: number, lineIndex: string): void {
  session.run(INSERT_LINES, content, lineIndex)
}

export function findLineIndex(session: Session, content: number): string | undefined {
  return (session.get(SELECT_LINES, content) as { readonly line_index: string } | undefined)?.line_index
}

/** `renewedAt` is the time of the last work on the content, or 0. */
export function insertLoose(session: Session, { id, content }: LooseContent, renewedAt: number): void {
  session.run(INSERT_LOOSE, content, id, renewedAt)
}

/** Returns `false` if the content was removed. */
export function renewLoose(session: Session, { id, content }: LooseContent, renewedAt: number): boolean {
  return session.run(RENEW_LOOSE, renewedAt, content, id) === 1
}

/** Claims content without an entry, which stops its writer. Returns `false` if it was renewed since `before`. */
export function claimLoose(session: Session, { id, content }: LooseContent, before: number): boolean {
  return session.run(CLAIM_LOOSE, content, id, before) === 1
}

/** Returns `false` if the content was removed. */
export function takeLoose(session: Session, { id, content }: LooseContent): boolean {
  return session.run(TAKE_LOOSE, content, id) === 1
}

export function* batchesOf({ size, chunkBytes }: ContentPlace, range?: ByteRange): Generator<PieceSpan> {
  const whole = piecesOfRange(size, chunkBytes, range)
  const perBatch = Math.max(1, Math.floor(BATCH_BYTES / chunkBytes))
  let { first, skip } = whole
  for (let left = whole.length; left > 0;) {
    const end = Math.min(whole.end, first + perBatch)
    const length = Math.min(left, (end - first) * chunkBytes - skip)
    yield { first, end, skip, length }
    left -= length
    first = end
    skip = 0
  }
}

export async function purgeContent(connection: Connection, loose: LooseContent): Promise<number> {
  for (let removed = 0; ;) {
    const { bytes, ended } = await connection.write((session) => purgeSome(session, loose))
    removed += bytes
    if (ended) return removed
  }
}
