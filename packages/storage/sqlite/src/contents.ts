import { piecesOfRange, type ByteRange, type PieceSpan } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import type { Session } from './session.ts'

/** Numbers of chunks in one content; its chunks are numbered from `content * MAX_CHUNKS` on. */
export const MAX_CHUNKS: number = 2 ** 20
/** How much is written, read or removed before others get a turn. */
export const BATCH_BYTES: number = 2 * 1024 * 1024

/** Where the content of an entry is. */
export interface ContentPlace {
  readonly content: number
  readonly size: number
  readonly chunkBytes: number
}

/** The content of an entry, which is there for as long as the entry has its number. */
export interface ContentOfEntry {
  readonly id: string
  readonly place: ContentPlace
}

/** Content that belongs to no entry, and the id of the entry that it belonged to or will. */
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
/** In numbers of rows, since a chunk of another version may have any size. */
const PURGED_CHUNKS = 16

/** Write chunks of a content, of which the first one is the `first`. */
export function insertChunks(session: Session, content: number, first: number, chunks: readonly Uint8Array[]): void {
  const insert = session.prepare(INSERT)
  let number = content * MAX_CHUNKS + first
  for (const chunk of chunks) insert.run(number++, chunk)
}

/** Copy the bytes of a span of chunks into `target`; return whether all of them, and their entry, were there. */
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

/** Read all bytes of a content of one chunk or none, which come as SQLite gives them; `undefined` where they are not there. */
export function readOnlyChunk(session: Session, { place }: ContentOfEntry): Uint8Array | undefined {
  const { content, size } = place
  if (size === 0) return new Uint8Array(0)
  // The entry was found by this session just now, and no number is ever handed out twice: it need not be looked for again.
  const row = session.get(SELECT_CHUNK, content * MAX_CHUNKS) as { readonly bytes: Uint8Array } | undefined
  return row?.bytes.length === size ? row.bytes : undefined
}

/**
 * Return the chunks of a span as they are, or none where their entry is gone, or one of them is missing or has another
 * size than it must have.
 */
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

/**
 * Remove some chunks of a loose content, and at its end all else of it; return how much, and whether it ended. Where it is
 * not loose for its id, it is of somebody else, or gone: nothing is removed.
 */
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

/**
 * Take a content from its entry, which goes in the same transaction: remove it, or, where that would take long, leave it
 * loose. Return it where it is loose, and to be purged afterwards.
 */
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

/** Note a content that belongs to no entry; `renewedAt` says when somebody was last at work on it, 0 for nobody. */
export function insertLoose(session: Session, { id, content }: LooseContent, renewedAt: number): void {
  session.run(INSERT_LOOSE, content, id, renewedAt)
}

/** Say that a loose content is still being worked on; return `false` where it is not there any more. */
export function renewLoose(session: Session, { id, content }: LooseContent, renewedAt: number): boolean {
  return session.run(RENEW_LOOSE, renewedAt, content, id) === 1
}

/** Keep the writer of a loose content from going on with it, unless he renewed it since a time; return whether that is done. */
export function claimLoose(session: Session, { id, content }: LooseContent, before: number): boolean {
  return session.run(CLAIM_LOOSE, content, id, before) === 1
}

/** Note that a loose content has got its entry; return `false` where it is not there any more. */
export function takeLoose(session: Session, { id, content }: LooseContent): boolean {
  return session.run(TAKE_LOOSE, content, id) === 1
}

/** Cut a range into parts that are read without holding the event loop for long. */
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

/** Remove a loose content, some of it at a time; return how many bytes that were. */
export async function purgeContent(connection: Connection, loose: LooseContent): Promise<number> {
  for (let removed = 0; ;) {
    const { bytes, ended } = await connection.write((session) => purgeSome(session, loose))
    removed += bytes
    if (ended) return removed
  }
}
