import {
  damagedRowsError,
  referenceOf,
  removedError,
  piecesOfRange,
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

export class EntryReader {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Throws `corrupt` if the description is damaged. */
  async find(id: EntryId): Promise<WholeEntry | undefined> {
    return this.#connection.read((session) => {
      const entry = wholeEntry(session, id)
      const lineIndex = entry && findLineIndex(session, entry.place.content)
      return entry && lineIndex !== undefined ? { ...entry, info: { ...entry.info, lineIndex } } : entry
    })
  }

  async has(id: EntryId): Promise<boolean> {
    return (await this.#connection.read((session) => findEntry(session, id) !== undefined)) === true
  }

  /** Throws `corrupt` if the content is damaged. */
  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const entry = await this.#connection.read((session) => {
        const found = wholeEntry(session, id)
        const content =
          found && range === undefined && isOneChunk(found.place) ? readOnlyChunk(session, found) : undefined
        return found && { ...found, content }
      })
      if (entry === undefined) return undefined
      const content = entry.content ?? (await this.#readParts(entry, range))
      if (content !== undefined) return { content, info: entry.info }
      if ((await this.#state(entry)) === 'damaged') throw damagedRowsError(id)
      // The entry was removed during the read and may be stored again.
    }
    return undefined
  }

  /** Content is never overwritten: as long as the entry exists, its content number has the same bytes. */
  async open(id: EntryId): Promise<OpenEntry | undefined> {
    const entry = await this.find(id)
    if (entry === undefined) return undefined
    return {
      info: entry.info,
      read: async (range, buffer) => {
        const content = await this.#readParts(entry, range, buffer)
        if (content !== undefined) return content
        if ((await this.#state(entry)) === 'damaged') throw damagedRowsError(id)
        throw removedError(referenceOf(id))
      },
      close: async () => undefined,
    }
  }

  /** Returns `undefined` if a byte is missing. */
  async #readParts(entry: ContentOfEntry, range?: ByteRange, buffer?: Uint8Array): Promise<Uint8Array | undefined> {
    const { place } = entry
    const { length } = piecesOfRange(place.size, place.chunkBytes, range)
    const target = buffer?.subarray(0, length) ?? plainMemory(length)
    let filled = 0
    for (const span of batchesOf(place, range)) {
      const part = target.subarray(filled, filled + span.length)
      if ((await this.#connection.read((session) => copyChunks(session, entry, span, part))) !== true) return undefined
      filled += span.length
    }
    return target
  }

  async #state({ id, place }: FoundEntry): Promise<'gone' | 'damaged'> {
    const now = await this.#connection.read((session) => findEntry(session, id))
    return now?.place.content === place.content ? 'damaged' : 'gone'
  }
}

const isOneChunk = ({ size, chunkBytes }: ContentPlace): boolean => size <= chunkBytes

/** Returns a buffer that shares its memory with nothing else. */
function plainMemory(length: number): Uint8Array {
  const { buffer } = Buffer.allocUnsafeSlow(length)
  return new Uint8Array(buffer)
}

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
