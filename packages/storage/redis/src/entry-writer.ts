import { regroupChunks, StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { encodeHeader, entryKey, indexKey, pieceKey, scriptKeys, type Place } from './keys.ts'
import { ABANDON, COMMIT, RENEW, RESTORE, TOUCH } from './scripts.ts'

const NOTHING = new Uint8Array(0)

interface WriteOutcome extends WrittenEntry {
  readonly isFirst: boolean
}

type WriteEntry = (
  place: Place,
  chunks: AsyncIterable<Uint8Array>,
  info: NewEntryInfo,
  lineIndex?: () => string | undefined,
) => Promise<WriteOutcome>

/** Writes small entries in one command. Larger entries are written in chunks before the commit. */
export function entryWriter(connection: Connection, chunkBytes: number, age: WriterAge): WriteEntry {
  const write: WriteEntry = async (place, chunks, info, lineIndex) => {
    const nonce = newNonce(age.now())
    const upload = pieceUpload(connection, place, nonce, age)
    let first: Uint8Array | undefined
    try {
      for await (const piece of regroupChunks(chunks, chunkBytes)) {
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
      const pieceBytes = upload.size > 0 ? chunkBytes : 0
      const header = encodeHeader(info, { nonce, size, pieceBytes }, lineIndex?.())
      // Committed chunks need no more heartbeats.
      upload.stop()
      if (upload.size > 0) return await commit(place, header, info.lastUsedAt)
      return await put(place, [header, content], info.lastUsedAt)
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
  async function put(place: Place, parts: readonly Uint8Array[], lastUsedAt: number): Promise<WriteOutcome> {
    const index = indexKey(place.tag)
    const keys = scriptKeys(place.tag, [place.reference])
    const [entered, created] = await Promise.all([
      connection.command('ZADD', index, 'GT', lastUsedAt, place.reference),
      connection.put('SETNX', [entryKey(place)], ...parts),
    ])
    if (Number(created) === 1) {
      // The index may have lost its entry between the two commands.
      if (Number(entered) === 0) await connection.script(RESTORE, keys, [lastUsedAt, place.reference])
      return { created: true, lastUsedAt, isFirst: false }
    }
    const usedAt = await connection.script(TOUCH, keys, [place.reference, lastUsedAt])
    if (usedAt !== null) return { created: false, lastUsedAt: Number(usedAt), isFirst: false }
    // The stored entry is damaged or gone.
    return commit(place, Buffer.concat(parts), lastUsedAt)
  }

  async function commit(place: Place, value: Buffer, lastUsedAt: number): Promise<WriteOutcome> {
    const keys = scriptKeys(place.tag, [place.reference])
    const reply = await connection.script(COMMIT, keys, [place.reference, lastUsedAt, value])
    const [outcome, usedAt] = (reply as [unknown, unknown]).map(Number) as [number, number]
    if (outcome < 0)
      throw new StorageError(
        'unavailable',
        `Redis evicted parts of ${place.reference} before it was complete. Increase maxmemory of the server, or store less at the same time.`,
        { reference: place.reference },
      )
    return { created: outcome > 0, lastUsedAt: usedAt, isFirst: outcome === 2 }
  }

  return write
}

/** The nonce starts with the time, so that the age of a killed writer's leftovers is known. */
const newNonce = (now: number): string =>
  `${Math.max(0, Math.floor(now)).toString(36)}-${randomUUID().replaceAll('-', '').slice(0, 18)}`

export const nonceTime = (nonce: string): number => Number.parseInt(nonce, 36)

/** Largest number of bytes sent at once, except for one larger chunk. More would time out on slow links. */
const IN_FLIGHT_BYTES = 2 * 1024 * 1024
const UNLINKED_AT_ONCE = 500

/** Milliseconds after which chunks expire. Writers renew their chunks ten times in this time. */
interface WriterAge {
  readonly pendingMs: number
  readonly now: () => number
}

/** Sends chunks that are invisible until the commit. Without a commit, they expire. */
function pieceUpload(connection: Connection, place: Place, nonce: string, age: WriterAge) {
  const inFlight: { readonly bytes: number; readonly sent: Promise<unknown> }[] = []
  let inFlightBytes = 0
  let pieces = 0
  let size = 0
  let heartbeat: NodeJS.Timeout | undefined

  async function add(piece: Uint8Array): Promise<void> {
    heartbeat ??= keepAlive()
    while (inFlight.length > 0 && inFlightBytes + piece.byteLength > IN_FLIGHT_BYTES) await oldest()
    const { pendingMs } = age
    const key = pieceKey(place, nonce, pieces)
    pieces += 1
    size += piece.byteLength
    send(piece.byteLength, connection.put('PSETEX', [key, pendingMs], piece))
  }

  async function finish(): Promise<void> {
    while (inFlight.length > 0) await oldest()
  }

  function stop(): void {
    clearInterval(heartbeat)
  }

  /** If the server cannot be reached, the chunks expire. */
  async function abandon(): Promise<void> {
    stop()
    if (pieces === 0) return
    await Promise.allSettled(inFlight.map(({ sent }) => sent))
    const keys = Array.from({ length: pieces }, (_, index) => pieceKey(place, nonce, index))
    for (let at = 0; at < keys.length; at += UNLINKED_AT_ONCE) {
      const some = [...keysOfEntry(), ...keys.slice(at, at + UNLINKED_AT_ONCE)]
      const removal = connection.script(ABANDON, some, [place.reference, nonce])
      const [outcome] = await Promise.allSettled([removal])
      if (outcome.status === 'rejected') return
    }
  }

  function keysOfEntry(): string[] {
    return scriptKeys(place.tag, [place.reference])
  }

  function keepAlive(): NodeJS.Timeout {
    const renew = (): Promise<unknown> => {
      const { pendingMs, now } = age
      const args = [place.reference, nonce, pieces, pendingMs, now()]
      return connection.script(RENEW, keysOfEntry(), args)
    }
    send(0, renew())
    // If a heartbeat is lost, the next heartbeat renews the chunks.
    return setInterval(() => void Promise.allSettled([renew()]), age.pendingMs / 10).unref()
  }

  function send(bytes: number, sent: Promise<unknown>): void {
    inFlight.push({ bytes, sent })
    inFlightBytes += bytes
    // A failure is reported when the chunk is awaited.
    void Promise.allSettled([sent])
  }

  async function oldest(): Promise<void> {
    const oldest = inFlight.shift()
    if (oldest === undefined) return
    inFlightBytes -= oldest.bytes
    await oldest.sent
  }

  return {
    get size() {
      return size
    },
    add,
    finish,
    stop,
    abandon,
  }
}
