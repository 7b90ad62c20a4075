import { regroupChunks, StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { encodeHeader, entryKey, indexKey, pieceKey, scriptKeys, type Place } from './keys.ts'
import { ABANDON, COMMIT, RENEW, RESTORE, TOUCH } from './scripts.ts'

const NOTHING = new Uint8Array(0)

interface WriteOutcome extends WrittenEntry {
  readonly isFirst: boolean
}

/** Writes small entries in one command. Larger ones are written in chunks before the commit. */
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
    lineIndex?: () => string | undefined,
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
      const header = encodeHeader(info, { nonce, size, pieceBytes }, lineIndex?.())
      // Committed pieces need no more signs of life.
      upload.stop()
      if (upload.size > 0) return await this.#commit(place, header, info.lastUsedAt)
      return await this.#put(place, [header, content], info.lastUsedAt)
    } catch (error) {
      const removal = upload.abandon()
      // Do not wait again for an unreachable server.
      if (!(StorageError.isInstance(error) && error.code === 'unavailable')) await removal
      throw error
    } finally {
      upload.stop()
    }
  }

  /** The value is the last argument and is not sent to a script, so that the server reads it without copying. */
  async #put(place: Place, parts: readonly Uint8Array[], lastUsedAt: number): Promise<WriteOutcome> {
    const index = indexKey(place.tag)
    const keys = scriptKeys(place.tag, [place.reference])
    const [entered, created] = await Promise.all([
      this.#connection.command('ZADD', index, 'GT', lastUsedAt, place.reference),
      this.#connection.put('SETNX', [entryKey(place)], ...parts),
    ])
    if (Number(created) === 1) {
      // The index may have lost its entry between the two commands.
      if (Number(entered) === 0) await this.#connection.script(RESTORE, keys, [lastUsedAt, place.reference])
      return { created: true, lastUsedAt, isFirst: false }
    }
    const usedAt = await this.#connection.script(TOUCH, keys, [place.reference, lastUsedAt])
    if (usedAt !== null) return { created: false, lastUsedAt: Number(usedAt), isFirst: false }
    // The stored entry is damaged or gone.
    return this.#commit(place, Buffer.concat(parts), lastUsedAt)
  }

  async #commit(place: Place, value: Buffer, lastUsedAt: number): Promise<WriteOutcome> {
    const keys = scriptKeys(place.tag, [place.reference])
    const reply = await this.#connection.script(COMMIT, keys, [place.reference, lastUsedAt, value])
    const [outcome, usedAt] = (reply as [unknown, unknown]).map(Number) as [number, number]
    if (outcome < 0)
      throw new StorageError(
        'unavailable',
        `Redis evicted parts of ${place.reference} before it was complete. Increase maxmemory of the server, or store less at the same time.`,
        { reference: place.reference },
      )
    return { created: outcome > 0, lastUsedAt: usedAt, isFirst: outcome === 2 }
  }
}

/** Starts with the time, so that the age of a killed writer's leftovers is known. */
const newNonce = (now: number): string =>
  `${Math.max(0, Math.floor(now)).toString(36)}-${randomUUID().replaceAll('-', '').slice(0, 18)}`

export const nonceTime = (nonce: string): number => Number.parseInt(nonce, 36)

/** Largest number of bytes sent at once, except one larger chunk: more would time out on slow links. */
const IN_FLIGHT_BYTES = 2 * 1024 * 1024
const UNLINKED_AT_ONCE = 500

/** Milliseconds after which chunks expire. Their writers renew them ten times as often. */
interface WriterAge {
  readonly pendingMs: number
  readonly now: () => number
}

/** Sends chunks that are invisible until the commit. Without a commit, they expire. */
class PieceUpload {
  readonly #connection: Connection
  readonly #place: Place
  readonly #nonce: string
  readonly #age: WriterAge
  readonly #inFlight: { readonly bytes: number; readonly sent: Promise<unknown> }[] = []
  #inFlightBytes = 0
  #pieces = 0
  #size = 0
  #heartbeat: NodeJS.Timeout | undefined

  constructor(connection: Connection, place: Place, nonce: string, age: WriterAge) {
    this.#connection = connection
    this.#place = place
    this.#nonce = nonce
    this.#age = age
  }

  get size(): number {
    return this.#size
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#heartbeat ??= this.#keepAlive()
    while (this.#inFlight.length > 0 && this.#inFlightBytes + piece.byteLength > IN_FLIGHT_BYTES) await this.#oldest()
    const { pendingMs } = this.#age
    const key = pieceKey(this.#place, this.#nonce, this.#pieces)
    this.#pieces += 1
    this.#size += piece.byteLength
    this.#send(piece.byteLength, this.#connection.put('PSETEX', [key, pendingMs], piece))
  }

  async finish(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#oldest()
  }

  stop(): void {
    clearInterval(this.#heartbeat)
  }

  /** If the server cannot be reached, the chunks expire. */
  async abandon(): Promise<void> {
    this.stop()
    if (this.#pieces === 0) return
    await Promise.allSettled(this.#inFlight.map(({ sent }) => sent))
    const keys = Array.from({ length: this.#pieces }, (_, index) => pieceKey(this.#place, this.#nonce, index))
    for (let at = 0; at < keys.length; at += UNLINKED_AT_ONCE) {
      const some = [...this.#scriptKeys, ...keys.slice(at, at + UNLINKED_AT_ONCE)]
      const removal = this.#connection.script(ABANDON, some, [this.#place.reference, this.#nonce])
      const [outcome] = await Promise.allSettled([removal])
      if (outcome.status === 'rejected') return
    }
  }

  get #scriptKeys(): string[] {
    return scriptKeys(this.#place.tag, [this.#place.reference])
  }

  #keepAlive(): NodeJS.Timeout {
    const renew = (): Promise<unknown> => {
      const { pendingMs, now } = this.#age
      const args = [this.#place.reference, this.#nonce, this.#pieces, pendingMs, now()]
      return this.#connection.script(RENEW, this.#scriptKeys, args)
    }
    this.#send(0, renew())
    // The next sign of life makes up for a lost one.
    return setInterval(() => void Promise.allSettled([renew()]), this.#age.pendingMs / 10).unref()
  }

  #send(bytes: number, sent: Promise<unknown>): void {
    this.#inFlight.push({ bytes, sent })
    this.#inFlightBytes += bytes
    // The failure is reported when the piece is awaited.
    void Promise.allSettled([sent])
  }

  async #oldest(): Promise<void> {
    const oldest = this.#inFlight.shift()
    if (oldest === undefined) return
    this.#inFlightBytes -= oldest.bytes
    await oldest.sent
  }
}
