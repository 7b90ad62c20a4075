import {
  StorageError,
  piecesOfRange,
  removedError,
  type ByteRange,
  type DriverContent,
  type EntryInfo,
  type Eviction,
  type OpenEntry,
} from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import {
  decodeHeader,
  decodeInfo,
  entryKey,
  indexKey,
  MAX_HEADER_LINE_BYTES,
  pieceKey,
  scriptKeys,
  type EntryHeader,
  type Place,
} from './keys.ts'
import { EXAMINE, RESTORE } from './scripts.ts'

/** Number of bytes to read for a description, enough for line indexes of 100 MB of text. */
const HEADER_BYTES = 4 * 1024
/** Number of content bytes to read together with the description. */
const EARLY_BYTES = 64 * 1024
const PARALLEL_PIECES = 8
const MAX_ATTEMPTS = 3

interface FoundEntry {
  readonly header: EntryHeader
  readonly info: EntryInfo
  readonly early: Buffer
}

export const serverEviction = (now: number, metadata: Eviction['metadata'] = {}): Eviction => ({
  reason: 'quota',
  evictedAt: now,
  metadata,
})

export class EntryReader {
  readonly #connection: Connection
  readonly #now: () => number

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection
    this.#now = now
  }

  async stat(place: Place): Promise<EntryInfo | undefined> {
    return (await this.#find(place, HEADER_BYTES))?.info
  }

  async read(place: Place, range?: ByteRange): Promise<DriverContent | undefined> {
    const bytes = range === undefined ? Infinity : HEADER_BYTES + earlyEnd(range)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const found = await this.#find(place, bytes)
      if (found === undefined) return undefined
      const whole = range ?? { offset: 0, length: found.header.size }
      const content = await this.#readOf(place, found, whole)
      if (content !== undefined) return { content: ownBytes(content), info: found.info }
    }
    return undefined
  }

  async open(place: Place): Promise<OpenEntry | undefined> {
    const found = await this.#find(place, HEADER_BYTES + EARLY_BYTES)
    if (found === undefined) return undefined
    return {
      info: found.info,
      read: async (range, buffer) => {
        const content = await this.#readOf(place, found, range, buffer)
        if (content !== undefined) return content
        throw removedError(place.reference)
      },
      close: async () => undefined,
    }
  }

  /** If the description is longer, it is read again with more bytes. */
  async #find(place: Place, bytes: number): Promise<FoundEntry | undefined> {
    const key = entryKey(place)
    const [score, value] = await Promise.all([
      this.#connection.command('ZSCORE', indexKey(place.tag), place.reference),
      bytes === Infinity ? this.#bytes('GET', key) : this.#bytes('GETRANGE', key, 0, bytes - 1),
    ])
    if (value.length === 0) return undefined
    const lastUsedAt = score === null || Number(score) < 0 ? await this.#restored(place) : Number(score)
    if (lastUsedAt === undefined) return undefined
    const header = decodeHeader(value)
    if (header === undefined) throw corrupt(place, 'does not begin as entries do')
    if (value.length === bytes && value.length < header.length) return this.#find(place, header.length)
    const info = decodeInfo(value, header, lastUsedAt)
    if (info === undefined) throw corrupt(place, 'has a damaged description')
    return { header, info, early: value.subarray(header.length) }
  }

  /** Adds an entry again to an index that the server evicted. Returns `undefined` for a missing entry. */
  async #restored(place: Place): Promise<number | undefined> {
    const keys = scriptKeys(place.tag, [place.reference])
    const reply = await this.#connection.script(RESTORE, keys, [this.#now(), place.reference])
    const [usedAt] = reply as unknown[]
    return usedAt === null ? undefined : Number(usedAt)
  }

  async #readOf(
    place: Place,
    found: FoundEntry,
    range: ByteRange,
    buffer?: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const { header, early } = found
    const start = Math.min(range.offset, header.size)
    const length = Math.min(range.length, header.size - start)
    if (length === 0) return new Uint8Array(0)
    if (header.pieceBytes > 0) return this.#readPieces(place, found, { offset: start, length }, buffer)
    if (start + length <= early.length) return early.subarray(start, start + length)
    return this.#readLate(place, header, { offset: start, length })
  }

  /** Reads the header last, which shows that the part belongs to the same write. */
  async #readLate(place: Place, header: EntryHeader, { offset, length }: ByteRange): Promise<Uint8Array | undefined> {
    const key = entryKey(place)
    const start = header.length + offset
    const [content, line] = await Promise.all([
      this.#bytes('GETRANGE', key, start, start + length - 1),
      this.#bytes('GETRANGE', key, 0, MAX_HEADER_LINE_BYTES - 1),
    ])
    if (decodeHeader(line)?.nonce !== header.nonce) return undefined
    if (content.length !== length) throw corrupt(place, 'is cut')
    return content
  }

  async #readPieces(
    place: Place,
    { header, info }: FoundEntry,
    range: ByteRange,
    buffer?: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const { nonce, size, pieceBytes } = header
    const { first, end, skip, length } = piecesOfRange(size, pieceBytes, range)
    const part = async (piece: number): Promise<{ readonly at: number; readonly bytes: Buffer } | undefined> => {
      const from = piece === first ? skip : 0
      const pieceLength = Math.min(pieceBytes, size - piece * pieceBytes)
      const to = Math.min(pieceLength, skip + length - (piece - first) * pieceBytes)
      const key = pieceKey(place, nonce, piece)
      const isWhole = from === 0 && to === pieceLength
      const bytes = isWhole ? await this.#bytes('GET', key) : await this.#bytes('GETRANGE', key, from, to - 1)
      if (bytes.length !== to - from) return undefined
      return { at: Math.max(0, (piece - first) * pieceBytes - skip), bytes }
    }
    if (end === first + 1) {
      const only = await part(first)
      return only === undefined ? this.#examine(place, header, info) : only.bytes
    }
    const content = buffer?.subarray(0, length) ?? new Uint8Array(length)
    let next = first
    let isWhole = true
    const readSome = async (): Promise<void> => {
      while (next < end && isWhole) {
        const found = await part(next++)
        if (found === undefined) isWhole = false
        else content.set(found.bytes, found.at)
      }
    }
    await Promise.all(Array.from({ length: Math.min(PARALLEL_PIECES, end - first) }, readSome))
    return isWhole ? content : this.#examine(place, header, info)
  }

  /** Explains why a chunk cannot be read: the entry was removed, evicted by the server, or damaged. */
  async #examine(place: Place, header: EntryHeader, { metadata }: EntryInfo): Promise<undefined> {
    const { nonce, size, pieceBytes } = header
    // With the chunk keys, a Cluster refuses the script while keys move. Otherwise, moved chunks would count as lost.
    const pieces = Array.from({ length: Math.ceil(size / pieceBytes) }, (_, piece) => pieceKey(place, nonce, piece))
    const keys = [...scriptKeys(place.tag, [place.reference]), ...pieces]
    const now = this.#now()
    const args = [place.reference, nonce, now, JSON.stringify(serverEviction(now, metadata))]
    const found = String(await this.#connection.script(EXAMINE, keys, args))
    if (found === 'cut') throw corrupt(place, 'is cut')
    return undefined
  }

  async #bytes(name: string, ...args: (string | number)[]): Promise<Buffer> {
    const reply = await this.#connection.command(name, ...args)
    return Buffer.isBuffer(reply) ? reply : Buffer.alloc(0)
  }
}

const earlyEnd = ({ offset, length }: ByteRange): number => (offset + length <= EARLY_BYTES ? offset + length : 0)

/** Copies bytes whose memory other replies use, too. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const corrupt = ({ reference }: Place, what: string): StorageError =>
  new StorageError('corrupt', `The Redis value of ${reference} ${what}. Run the tool again.`, { reference })
