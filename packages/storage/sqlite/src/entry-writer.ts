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
export async function writeEntry(
  connection: Connection,
  id: EntryId,
  chunkBytes: number,
  chunks: AsyncIterable<Uint8Array>,
  info: NewEntryInfo,
  lineIndex?: () => string | undefined,
): Promise<WrittenEntry> {
  let looseContent: LooseContent | undefined
  let pending: Uint8Array[] = []
  let writtenChunks = 0
  let size = 0
  let heartbeat: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    looseContent = await connection.write((session) => {
      const loose = looseContent ?? { id, content: session.nextContent() }
      if (looseContent === undefined) insertLoose(session, loose, Date.now())
      else if (!renewLoose(session, loose, Date.now())) throw collected()
      insertChunks(session, loose.content, writtenChunks, pending)
      return loose
    })
    writtenChunks += pending.length
    pending = []
    heartbeat ??= setInterval(() => void renew(), HEARTBEAT_MS).unref()
  }

  function commit(session: Session, info: NewEntryInfo, lineIndex: string | undefined): WrittenEntry {
    const content = looseContent?.content ?? session.nextContent()
    const entry = {
      id,
      place: { content, size, chunkBytes },
      lastUsedAt: info.lastUsedAt,
      description: encodeDescription(info),
    }
    if (!insertEntry(session, entry)) {
      const lastUsedAt = touchEntry(session, id, info.lastUsedAt) ?? info.lastUsedAt
      return { created: false, lastUsedAt }
    }
    if (looseContent !== undefined && !takeLoose(session, looseContent)) throw collected()
    insertChunks(session, content, writtenChunks, pending)
    if (lineIndex !== undefined) insertLineIndex(session, content, lineIndex)
    return { created: true, lastUsedAt: info.lastUsedAt }
  }

  /** If renewing fails, nothing is lost, because the next write reports the failure. */
  async function renew(): Promise<void> {
    const loose = looseContent
    if (loose === undefined) return
    const renewing = connection.write((session) => renewLoose(session, loose, Date.now()))
    await Promise.allSettled([renewing])
  }

  async function purge(): Promise<void> {
    clearInterval(heartbeat)
    if (looseContent !== undefined) await purgeContent(connection, looseContent)
  }

  function tooLarge(): StorageError {
    const most = MAX_CHUNKS * chunkBytes
    return new StorageError(
      'too-large',
      `Content may have up to ${most} bytes with this chunkBytes. Increase chunkBytes.`,
    )
  }

  function collected(): StorageError {
    return new StorageError(
      'unavailable',
      'The unfinished entry was removed after a long pause. Store the content again.',
    )
  }

  try {
    for await (const chunk of regroupChunks(chunks, chunkBytes)) {
      if ((pending.length + 1) * chunkBytes > BATCH_BYTES) await flush()
      if (writtenChunks + pending.length === MAX_CHUNKS) throw tooLarge()
      pending.push(chunk)
      size += chunk.length
    }
    const index = lineIndex?.()
    const written = await connection.write((session) => commit(session, info, index))
    if (!written.created) await Promise.allSettled([purge()])
    return written
  } catch (error) {
    // Content that cannot be removed now is collected later.
    await Promise.allSettled([purge()])
    throw error
  } finally {
    clearInterval(heartbeat)
  }
}
