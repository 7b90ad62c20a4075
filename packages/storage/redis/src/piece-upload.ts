import type { Connection } from './connection.ts'
import { aliveKey, pieceKey, scriptKeys, type Place } from './keys.ts'
import { ABANDON, RENEW } from './scripts.ts'

/**
 * Bytes that are on their way to the server at the same time, but for a single piece that is larger. The time of a command
 * runs from when it is sent: on a slow link, more of them would only wait for each other until they fail.
 */
const IN_FLIGHT_BYTES = 2 * 1024 * 1024
const UNLINKED_AT_ONCE = 500

/** How long what a writer has sent stays without a sign of life of it. It gives one ten times as often. */
export interface WriterAge {
  readonly pendingMs: number
  readonly now: () => number
}

/** Send content in pieces that nobody sees until their entry is committed, and that vanish unless it is. */
export class PieceUpload {
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

  /** Bytes that were added. */
  get size(): number {
    return this.#size
  }

  /** Send one more piece; wait only where many are under way already. */
  async add(piece: Uint8Array): Promise<void> {
    this.#heartbeat ??= this.#keepAlive()
    while (this.#inFlight.length > 0 && this.#inFlightBytes + piece.byteLength > IN_FLIGHT_BYTES) await this.#oldest()
    const { pendingMs } = this.#age
    const key = pieceKey(this.#place, this.#nonce, this.#pieces)
    this.#pieces += 1
    this.#size += piece.byteLength
    this.#send(piece.byteLength, this.#connection.put('PSETEX', [key, pendingMs], piece))
  }

  /** Wait until all pieces have arrived. */
  async finish(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#oldest()
  }

  /** Give no more signs of life. */
  stop(): void {
    clearInterval(this.#heartbeat)
  }

  /** Remove what was sent, as far as the server can be reached; the rest vanishes by itself. */
  async abandon(): Promise<void> {
    this.stop()
    if (this.#pieces === 0) return
    await Promise.allSettled(this.#inFlight.map(({ sent }) => sent))
    const keys = Array.from({ length: this.#pieces }, (_, index) => pieceKey(this.#place, this.#nonce, index))
    keys.push(aliveKey(this.#place, this.#nonce))
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
    // A sign that gets lost is made up for by the next one.
    return setInterval(() => void Promise.allSettled([renew()]), this.#age.pendingMs / 10).unref()
  }

  #send(bytes: number, sent: Promise<unknown>): void {
    this.#inFlight.push({ bytes, sent })
    this.#inFlightBytes += bytes
    // Its failure is seen when it is waited for; until then it must not count as unhandled.
    void Promise.allSettled([sent])
  }

  async #oldest(): Promise<void> {
    const oldest = this.#inFlight.shift()
    if (oldest === undefined) return
    this.#inFlightBytes -= oldest.bytes
    await oldest.sent
  }
}
