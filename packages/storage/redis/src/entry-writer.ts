import { randomUUID } from 'node:crypto'
import { StorageError, regroupChunks, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { encodeHeader } from './entry-header.ts'
import { entryKey, indexKey, scriptKeys, type Place } from './keys.ts'
import { PieceUpload, type WriterAge } from './piece-upload.ts'
import { COMMIT, RESTORE, TOUCH } from './scripts.ts'

const NOTHING = new Uint8Array(0)

/** What {@link EntryWriter.write} did. */
export interface WriteOutcome extends WrittenEntry {
  /** Whether a large entry is the first of its scope; nothing is known of small ones. */
  readonly isFirst: boolean
}

/** Write entries: what is of one piece at once, what is larger in pieces beforehand. */
export class EntryWriter {
  readonly #connection: Connection
  readonly #chunkBytes: number
  readonly #age: WriterAge

  constructor(connection: Connection, chunkBytes: number, age: WriterAge) {
    this.#connection = connection
    this.#chunkBytes = chunkBytes
    this.#age = age
  }

  async write(
    place: Place,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined,
  ): Promise<WriteOutcome> {
    const nonce = newNonce(this.#age.now())
    const upload = new PieceUpload(this.#connection, place, nonce, this.#age)
    let first: Uint8Array | undefined
    try {
      for await (const piece of regroupChunks(chunks, this.#chunkBytes)) {
        if (first === undefined) {
          first = piece
          continue
        }
        if (upload.size === 0) await upload.add(first)
        await upload.add(piece)
      }
      await upload.finish()
      const content = upload.size > 0 ? NOTHING : (first ?? NOTHING)
      const size = upload.size + content.byteLength
      const pieceBytes = upload.size > 0 ? this.#chunkBytes : 0
      const header = encodeHeader(info, { nonce, size, pieceBytes }, lineIndex())
      // What is committed needs no more signs of life.
      upload.stop()
      if (upload.size > 0) return await this.#commit(place, header, info.lastUsedAt)
      return await this.#put(place, [header, content], info.lastUsedAt)
    } catch (error) {
      const removal = upload.abandon()
      // A server that cannot be reached is not waited for once more.
      if (!(StorageError.isInstance(error) && error.code === 'unavailable')) await removal
      throw error
    } finally {
      upload.stop()
    }
  }

  /**
   * Write an entry of one piece. It goes last and behind everything else: a server reads large values without copying
   * only then, and scripts would copy them several times.
   */
  async #put(place: Place, parts: readonly Uint8Array[], lastUsedAt: number): Promise<WriteOutcome> {
    const index = indexKey(place.tag)
    const keys = scriptKeys(place.tag, [place.reference])
    const [entered, created] = await Promise.all([
      this.#connection.command('ZADD', index, 'GT', lastUsedAt, place.reference),
      this.#connection.put('SETNX', [entryKey(place)], ...parts),
    ])
    if (Number(created) === 1) {
      // The index had an earlier entry, which may have been removed, and its place with it, between the two commands.
      if (Number(entered) === 0) await this.#connection.script(RESTORE, keys, [lastUsedAt, place.reference])
      return { created: true, lastUsedAt, isFirst: false }
    }
    const usedAt = await this.#connection.script(TOUCH, keys, [place.reference, lastUsedAt])
    if (usedAt !== null) return { created: false, lastUsedAt: Number(usedAt), isFirst: false }
    // What is there is damaged, or has gone meanwhile.
    return this.#commit(place, Buffer.concat(parts), lastUsedAt)
  }

  async #commit(place: Place, value: Buffer, lastUsedAt: number): Promise<WriteOutcome> {
    const keys = scriptKeys(place.tag, [place.reference])
    const reply = await this.#connection.script(COMMIT, keys, [place.reference, lastUsedAt, value])
    const [outcome, usedAt] = (reply as [unknown, unknown]).map(Number) as [number, number]
    if (outcome < 0)
      throw new StorageError(
        'unavailable',
        `Redis evicted parts of ${place.reference} before it was complete. Raise its maxmemory, or store less at the same time.`,
        { reference: place.reference },
      )
    return { created: outcome > 0, lastUsedAt: usedAt, isFirst: outcome === 2 }
  }
}

/** Name a writing: when it began, so that what a killed writer left can be told, and chance. */
const newNonce = (now: number): string =>
  `${Math.max(0, Math.floor(now)).toString(36)}-${randomUUID().replaceAll('-', '').slice(0, 18)}`

/** When the writing of a nonce began, in milliseconds since the epoch. */
export const nonceTime = (nonce: string): number => Number.parseInt(nonce, 36)
