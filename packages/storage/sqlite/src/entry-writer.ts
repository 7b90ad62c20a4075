import {
  StorageError,
  encodeDescription,
  regroupChunks,
  type EntryId,
  type NewEntryInfo,
  type WrittenEntry,
} from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import {
  BATCH_BYTES,
  insertChunks,
  insertLineIndex,
  insertLoose,
  MAX_CHUNKS,
  purgeContent,
  renewLoose,
  takeLoose,
  type LooseContent,
} from './contents.ts'
import { insertEntry, touchEntry } from './entries.ts'
import type { Session } from './session.ts'

const HEARTBEAT_MS = 60_000

/** Writes small entries in one transaction, and large ones in several. The last transaction makes them visible. */
export class EntryWriter {
  readonly #connection: Connection
  readonly #id: EntryId
  readonly #chunkBytes: number
  #loose: LooseContent | undefined
  #chunks: Uint8Array[] = []
  #written = 0
  #size = 0
  #heartbeat: NodeJS.Timeout | undefined

  constructor(connection: Connection, id: EntryId, chunkBytes: number) {
    this.#connection = connection
    this.#id = id
    this.#chunkBytes = chunkBytes
  }

  async write(
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<WrittenEntry> {
    try {
      for await (const chunk of regroupChunks(chunks, this.#chunkBytes)) {
        if ((this.#chunks.length + 1) * this.#chunkBytes > BATCH_BYTES) await this.#flush()
        if (this.#written + this.#chunks.length === MAX_CHUNKS) throw this.#tooLarge()
        this.#chunks.push(chunk)
        this.#size += chunk.length
      }
      const index = lineIndex?.()
      const written = await this.#connection.write((session) => this.#commit(session, info, index))
      if (!written.created) await Promise.allSettled([this.#purge()])
      return written
    } catch (error) {
      // Content that cannot be removed now is collected later.
      await Promise.allSettled([this.#purge()])
      throw error
    } finally {
      clearInterval(this.#heartbeat)
    }
  }

  async #flush(): Promise<void> {
    this.#loose = await this.#connection.write((session) => {
      const loose = this.#loose ?? { id: this.#id, content: session.nextContent() }
      if (this.#loose === undefined) insertLoose(session, loose, Date.now())
      else if (!renewLoose(session, loose, Date.now())) throw this.#collected()
      insertChunks(session, loose.content, this.#written, this.#chunks)
      return loose
    })
    this.#written += this.#chunks.length
    this.#chunks = []
    this.#heartbeat ??= setInterval(() => void this.#renew(), HEARTBEAT_MS).unref()
  }

  #commit(session: Session, info: NewEntryInfo, lineIndex: string | undefined): WrittenEntry {
    const content = this.#loose?.content ?? session.nextContent()
    const entry = {
      id: this.#id,
      place: { content, size: this.#size, chunkBytes: this.#chunkBytes },
      lastUsedAt: info.lastUsedAt,
      description: encodeDescription(info),
    }
    if (!insertEntry(session, entry)) {
      const lastUsedAt = touchEntry(session, this.#id, info.lastUsedAt) ?? info.lastUsedAt
      return { created: false, lastUsedAt }
    }
    if (this.#loose !== undefined && !takeLoose(session, this.#loose)) throw this.#collected()
    insertChunks(session, content, this.#written, this.#chunks)
    if (lineIndex !== undefined) insertLineIndex(session, content, lineIndex)
    return { created: true, lastUsedAt: info.lastUsedAt }
  }

  /** If renewing fails, nothing is lost, because the next write reports the failure. */
  async #renew(): Promise<void> {
    const loose = this.#loose
    if (loose === undefined) return
    const renewing = this.#connection.write((session) => renewLoose(session, loose, Date.now()))
    await Promise.allSettled([renewing])
  }

  async #purge(): Promise<void> {
    clearInterval(this.#heartbeat)
    if (this.#loose !== undefined) await purgeContent(this.#connection, this.#loose)
  }

  #tooLarge(): StorageError {
    const most = MAX_CHUNKS * this.#chunkBytes
    return new StorageError(
      'too-large',
      `Content may have up to ${most} bytes with this chunkBytes. Increase chunkBytes.`,
    )
  }

  #collected(): StorageError {
    return new StorageError(
      'unavailable',
      'The unfinished entry was removed after a long pause. Store the content again.',
    )
  }
}
