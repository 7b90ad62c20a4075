import {
  piecesOfRange,
  damagedRowsError,
  removedError,
  splitId,
  type ByteRange,
  type DriverContent,
  type EntryId,
  type EntryInfo,
  type OpenEntry,
} from '@spillway/core/driver'
import type { Connection, Row } from './connection.ts'
import { COLUMNS, foundEntry, type FoundEntry } from './entries.ts'

const MAX_ATTEMPTS = 10
/** Size of the chunks that one statement returns, in bytes. */
const BATCH_BYTES = 2 * 1024 * 1024
/** Largest offset that PostgreSQL accepts. Larger content is stored in chunks. */
const MOST = 2 ** 30
const ALL: ByteRange = { offset: 0, length: Infinity }

export const SELECT_ENTRY: string = `SELECT ${COLUMNS}, line_index FROM @entry WHERE id = $1`
/** Selects content as Base64. `pg` reads all values as text, and Base64 is shorter than hexadecimal text. */
export const SELECT_CONTENT: string = `SELECT ${COLUMNS}, octet_length(bytes) AS stored, encode(substr(bytes, $2::int + 1, $3::int), 'base64') AS bytes FROM @entry WHERE id = $1`
/** Selects the bytes of a range from each chunk. $4 bytes of the first chunk are skipped, and $5 bytes are read. */
export const SELECT_CHUNKS =
  "SELECT encode(substr(bytes, greatest($4::int - at, 0) + 1, least($6::int, $4::int + $5::int - at) - greatest($4::int - at, 0)), 'base64') AS bytes FROM (SELECT number, (number - $2::int) * $6::int AS at, bytes FROM @chunk WHERE content = $1 AND number >= $2::int AND number < $3::int) AS chunk ORDER BY number"

type WholeEntry = FoundEntry & { readonly info: EntryInfo }

/** Throws `corrupt` if the description is damaged. */
export async function findEntry(connection: Connection, id: EntryId): Promise<WholeEntry | undefined> {
  const [row] = await connection.query(SELECT_ENTRY, [id])
  return row && whole(row)
}

/** Throws `corrupt` if the content is damaged. */
export async function readEntry(
  connection: Connection,
  id: EntryId,
  range: ByteRange = ALL,
): Promise<DriverContent | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await selectContent(connection, id, range)
    if (row === undefined) return undefined
    const entry = whole(row)
    const content = row['bytes'] === null ? await readChunks(connection, entry, range) : inlineBytes(entry, row, range)
    if (content !== undefined) return { content, info: entry.info }
    if (await exists(connection, entry)) throw damagedRowsError(id)
    // The entry was removed during the read, and may be stored again.
  }
  return undefined
}

/** Content is never overwritten: as long as the entry exists, its content number has the same bytes. */
export async function openEntry(connection: Connection, id: EntryId): Promise<OpenEntry | undefined> {
  const entry = await findEntry(connection, id)
  if (entry === undefined) return undefined
  return {
    info: entry.info,
    read: async (range, buffer) => {
      const content = await readOpen(connection, entry, range, buffer)
      if (content !== undefined) return content
      throw (await exists(connection, entry)) ? damagedRowsError(id) : removedError(splitId(id).reference)
    },
    close: async () => undefined,
  }
}

async function readOpen(
  connection: Connection,
  entry: FoundEntry,
  range: ByteRange,
  buffer?: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (entry.size > entry.chunkBytes) return readChunks(connection, entry, range, buffer)
  const row = await selectContent(connection, entry.id, range)
  return row === undefined || row['content'] !== entry.content ? undefined : inlineBytes(entry, row, range)
}

async function selectContent(
  connection: Connection,
  id: EntryId,
  { offset, length }: ByteRange,
): Promise<Row | undefined> {
  const [row] = await connection.query(SELECT_CONTENT, [id, Math.min(offset, MOST), Math.min(length, MOST)])
  return row
}

/** Returns `undefined` if a byte is missing. */
async function readChunks(
  connection: Connection,
  entry: FoundEntry,
  range: ByteRange,
  buffer?: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { content, size, chunkBytes } = entry
  const whole = piecesOfRange(size, chunkBytes, range)
  const target = buffer?.subarray(0, whole.length) ?? new Uint8Array(whole.length)
  const perBatch = Math.max(1, Math.floor(BATCH_BYTES / chunkBytes))
  let { skip } = whole
  let filled = 0
  for (let { first } = whole; first < whole.end; first += perBatch) {
    const end = Math.min(whole.end, first + perBatch)
    const length = Math.min(whole.length - filled, (end - first) * chunkBytes - skip)
    const rows = await connection.query(SELECT_CHUNKS, [content, first, end, skip, length, chunkBytes])
    const chunks = rows.map(({ bytes }) => decodeBytes(bytes))
    const found = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (chunks.length !== end - first || found !== length) return undefined
    for (const chunk of chunks) {
      target.set(chunk, filled)
      filled += chunk.length
    }
    skip = 0
  }
  return target
}

async function exists(connection: Connection, { id, content }: FoundEntry): Promise<boolean> {
  const [row] = await connection.query(SELECT_ENTRY, [id])
  return row?.['content'] === content
}

const decodeBytes = (text: unknown): Uint8Array => Buffer.from(String(text), 'base64')

function whole(row: Row): WholeEntry {
  const entry = foundEntry(row)
  if (entry.info === undefined) throw damagedRowsError(entry.id)
  return { ...entry, info: entry.info }
}

/** Copies the bytes into memory that nothing else uses. Returns `undefined` if a byte is missing. */
function inlineBytes({ size }: FoundEntry, row: Row, range: ByteRange): Uint8Array | undefined {
  const bytes = decodeBytes(row['bytes'])
  const { length } = piecesOfRange(size, Math.max(1, size), range)
  return row['stored'] === size && bytes.length === length ? Uint8Array.from(bytes) : undefined
}
