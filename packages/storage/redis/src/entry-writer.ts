import { randomBytes } from 'node:crypto'
import { StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core'
import { regroupChunks } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { encodeHeader } from './entry-header.ts'
import { indexKey, newEntryKey, type Place } from './keys.ts'
import { asBuffer, PieceUpload, type WriterAge } from './piece-upload.ts'
import { COMMIT } from './scripts.ts'

const NOTHING = new Uint8Array(0)

/** What {@link EntryWriter.write} did. */
export interface WriteOutcome extends WrittenEntry {
  /** Whether the scope had no entry before, and no memory of one. */
  readonly isFirst: boolean
}

/** Write entries: what is large in pieces beforehand, then everything else with the commit, in one trip. */
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
    let first: Uint8Array | undefined
    let upload: PieceUpload | undefined
    try {
      for await (const piece of regroupChunks(chunks, this.#chunkBytes)) {
        if (first === undefined) {
          first = piece
          continue
        }
        if (upload === undefined) {
          upload = new PieceUpload(this.#connection, place, nonce, this.#age)
          await upload.add(first)
        }
        await upload.add(piece)
      }
      await upload?.finish()
      const content = upload === undefined ? (first ?? NOTHING) : undefined
      const size = upload?.size ?? first?.byteLength ?? 0
      const pieceBytes = upload === undefined ? 0 : this.#chunkBytes
      const header = encodeHeader(info, { nonce, size, pieceBytes }, lineIndex())
      const value = content === undefined ? header : Buffer.concat([header, asBuffer(content)])
      return await this.#commit(place, nonce, value, info.lastUsedAt)
    } catch (error) {
      const removal = upload?.abandon()
      // A server that cannot be reached is not waited for once more.
      if (!(StorageError.isInstance(error) && error.code === 'unavailable')) await removal
      throw error
    } finally {
      upload?.stop()
    }
  }

  async #commit(place: Place, nonce: string, value: Buffer, lastUsedAt: number): Promise<WriteOutcome> {
    const commit = async (): Promise<readonly [number, number]> => {
      const reply = await this.#connection.script(COMMIT, [indexKey(place.tag)], [place.reference, nonce, lastUsedAt])
      const [outcome, usedAt] = reply as [unknown, unknown]
      return [Number(outcome), Number(usedAt)]
    }
    const send = (): Promise<unknown> =>
      this.#connection.command('SET', newEntryKey(place, nonce), value, 'PX', this.#age.pendingMs)
    // Both at once: they go the same way, one behind the other.
    const [, both] = await Promise.all([send(), commit()])
    let [outcome, usedAt] = both
    if (outcome < 0) {
      // In a Cluster that is being rearranged they may not have gone the same way.
      await send()
      ;[outcome, usedAt] = await commit()
    }
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
  `${Math.max(0, Math.floor(now)).toString(36)}-${randomBytes(9).toString('hex')}`

/** When the writing of a nonce began, in milliseconds since the epoch. */
export const nonceTime = (nonce: string): number => Number.parseInt(nonce, 36)
