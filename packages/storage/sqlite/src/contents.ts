import { piecesOfRange, type PieceSpan } from '@spillway/core/driver'
import type { ByteRange } from '@spillway/core'
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

const INSERT = 'INSERT INTO spillway_chunk (number, bytes) VALUES (?, ?)'
const SELECT = 'SELECT bytes FROM spillway_chunk WHERE number BETWEEN ? AND ? ORDER BY number'
const SELECT_SIZES =
  'SELECT number, length(bytes) AS size FROM spillway_chunk WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?'
const DELETE = 'DELETE FROM spillway_chunk WHERE number BETWEEN ? AND ?'
const INSERT_LINES = 'INSERT INTO spillway_lines (content, line_index) VALUES (?, ?)'
const SELECT_LINES = 'SELECT line_index FROM spillway_lines WHERE content = ?'
const DELETE_LINES = 'DELETE FROM spillway_lines WHERE content = ?'
const INSERT_LOOSE = 'INSERT INTO spillway_loose (content, id, renewed_at) VALUES (?, ?, ?)'
const RENEW_LOOSE = 'UPDATE spillway_loose SET renewed_at = ? WHERE content = ? AND renewed_at > 0'
const CLAIM_LOOSE = 'UPDATE spillway_loose SET renewed_at = 0 WHERE content = ? AND renewed_at < ?'
const TAKE_LOOSE = 'DELETE FROM spillway_loose WHERE content = ? AND renewed_at > 0'
const DELETE_LOOSE = 'DELETE FROM spillway_loose WHERE content = ?'
/** In numbers of rows, since a chunk of another version may have any size. */
const PURGED_CHUNKS = 16

/** Write chunks of a content, of which the first one is the `first`. */
export function insertChunks(session: Session, content: number, first: number, chunks: readonly Uint8Array[]): void {
  const insert = session.prepare(INSERT)
  let number = content * MAX_CHUNKS + first
  for (const chunk of chunks) insert.run(number++, chunk)
}

/** Copy the bytes of a span of chunks into `target`; return whether all of them were there. */
export function copyChunks(session: Session, place: ContentPlace, span: PieceSpan, target: Uint8Array): boolean {
  let { skip } = span
  let filled = 0
  for (const chunk of selectChunks(session, place, span)) {
    target.set(chunk.subarray(skip, skip + span.length - filled), filled)
    filled += Math.min(chunk.length - skip, span.length - filled)
    skip = 0
  }
  return filled === span.length
}

/** Read all bytes of a content of one chunk or none, which come as SQLite gives them; `undefined` where they are not there. */
export function readOnlyChunk(session: Session, place: ContentPlace): Uint8Array | undefined {
  if (place.size === 0) return new Uint8Array(0)
  return selectChunks(session, place, piecesOfRange(place.size, place.chunkBytes))[0]
}

/** Return the chunks of a span as they are, or none where one is missing or has another size than it must have. */
function selectChunks(
  session: Session,
  { content, size, chunkBytes }: ContentPlace,
  { first, end }: PieceSpan,
): Uint8Array[] {
  if (first === end) return []
  const base = content * MAX_CHUNKS
  const rows = session.all(SELECT, base + first, base + end - 1) as readonly { readonly bytes: Uint8Array }[]
  const isWhole =
    rows.length === end - first &&
    rows.every(({ bytes }, index) => bytes.length === Math.min(chunkBytes, size - (first + index) * chunkBytes))
  return isWhole ? rows.map(({ bytes }) => bytes) : []
}

/** Remove some chunks of a content that no entry has, and at its end all else of it; return how much, and whether it ended. */
export function purgeSome(session: Session, content: number): { bytes: number; ended: boolean } {
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
 * loose. Return whether it is loose, and to be purged afterwards.
 */
export function releaseContent(session: Session, id: string, { content, size }: ContentPlace): boolean {
  if (size > BATCH_BYTES) {
    insertLoose(session, content, id, 0)
    return true
  }
  if (size > 0) session.run(DELETE, content * MAX_CHUNKS, (content + 1) * MAX_CHUNKS - 1)
  session.run(DELETE_LINES, content)
  return false
}

export function insertLineIndex(session: Session, content: number, lineIndex: string): void {
  session.run(INSERT_LINES, content, lineIndex)
}

export function findLineIndex(session: Session, content: number): string | undefined {
  return (session.get(SELECT_LINES, content) as { readonly line_index: string } | undefined)?.line_index
}

/** Note a content that belongs to no entry; `renewedAt` says when somebody was last at work on it, 0 for nobody. */
export function insertLoose(session: Session, content: number, id: string, renewedAt: number): void {
  session.run(INSERT_LOOSE, content, id, renewedAt)
}

/** Say that a loose content is still being worked on; return `false` where it is not there any more. */
export function renewLoose(session: Session, content: number, renewedAt: number): boolean {
  return session.run(RENEW_LOOSE, renewedAt, content) === 1
}

/** Keep the writer of a loose content from going on with it, unless he renewed it since a time; return whether that is done. */
export function claimLoose(session: Session, content: number, before: number): boolean {
  return session.run(CLAIM_LOOSE, content, before) === 1
}

/** Note that a loose content has got its entry; return `false` where it is not there any more. */
export function takeLoose(session: Session, content: number): boolean {
  return session.run(TAKE_LOOSE, content) === 1
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
