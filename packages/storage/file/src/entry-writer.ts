import { extensionForContentType, StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import type { FileWriter } from './file-system.ts'
import { pendingPair, type EntryPaths, type FilePair } from './paths.ts'
import type { Sidecar } from './sidecar.ts'
import { PATIENCE_MS, wait } from './wait.ts'

/** How often the file of a stream that has not ended is marked as still being written. */
const HEARTBEAT_MS = 60_000
const MAX_ATTEMPTS = 10

/** Carries a failure of the chunks past the file system's own, so that neither is taken for the other. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure'
}

/** What {@link EntryWriter.write} did. */
export interface EntryWritten extends WrittenEntry {
  /** What describes the content that was written. */
  readonly sidecar: Sidecar
}

/**
 * Write entries: content and sidecar under pending names, then the content under its own, then the sidecar, which is
 * the moment at which the entry exists.
 */
export class EntryWriter {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  /** Write an entry, whose folders are there. Where it exists by the time that it would begin to, touch it. */
  async write(
    paths: EntryPaths,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined,
  ): Promise<EntryWritten> {
    const pending = pendingPair(paths)
    const extension = extensionForContentType(info.contentType)
    try {
      const describe = (size: number): Sidecar => {
        const index = lineIndex()
        return { info: { ...info, size, ...(index === undefined ? {} : { lineIndex: index }) }, extension }
      }
      const { sidecar, closed } = await this.#writePending(paths, pending, fromSource(chunks), describe)
      const written = await this.#commit(paths, pending, sidecar, closed)
      await this.#files.syncEntry(paths, extension)
      return { ...written, sidecar }
    } catch (error) {
      await Promise.allSettled([this.#remover.removeOrphan(paths, extension)])
      throw error
    } finally {
      // What cannot be removed now is collected later. A tombstone stays: nobody asks for that of an entry that is there.
      await Promise.allSettled([this.#files.remove(pending.content), this.#files.remove(pending.sidecar)])
    }
  }

  /**
   * Write content and sidecar under their pending names. Where the file system can give other names to files that are
   * still open, they are still being closed afterwards.
   */
  async #writePending(
    paths: EntryPaths,
    pending: FilePair,
    source: AsyncGenerator<Uint8Array>,
    describe: (size: number) => Sidecar,
  ): Promise<{ readonly sidecar: Sidecar; readonly closed: Promise<unknown> }> {
    const opening = [pending.content, pending.sidecar].map((path) => this.#files.createPending(paths, path))
    const close = (): Promise<unknown> => settled(opening.map(async (file) => (await file).close()))
    let sidecar: Sidecar
    try {
      const [content, sidecarFile] = (await settled(opening)) as [FileWriter, FileWriter]
      const writeSidecar = async (size: number): Promise<Sidecar> => {
        const described = describe(size)
        await this.#files.writeSidecar(described, sidecarFile)
        return described
      }
      const first = await source.next()
      const second = first.done === true ? first : await source.next()
      if (first.done === true || second.done !== true)
        sidecar = await writeSidecar(await this.#writeAll(pending.content, chained([first, second], source), content))
      else {
        const writing = this.#heldAlive(pending.content, () => content.write(first.value))
        // Lines are counted while the content is on its way to the disk.
        ;[, sidecar] = await settled([writing, writeSidecar(first.value.byteLength)])
      }
    } catch (error) {
      await Promise.allSettled([source.return(undefined), close()])
      throw error
    }
    const closed = close()
    if (this.#files.fsync || this.#files.fileSystem.linksOpenFiles !== true) await closed
    // Its failure is seen before the entry is committed.
    void Promise.allSettled([closed])
    await this.#files.sync([pending.content])
    return { sidecar, closed }
  }

  async #writeAll(path: string, chunks: AsyncIterable<Uint8Array>, content: FileWriter): Promise<number> {
    let size = 0
    await this.#heldAlive(path, async () => {
      for await (const chunk of chunks) {
        await content.write(chunk)
        size += chunk.byteLength
      }
    })
    return size
  }

  /** Mark a file as still being written while that goes on. */
  async #heldAlive(path: string, write: () => Promise<void>): Promise<void> {
    const heartbeat = setInterval(() => {
      // A failure shows in the next write; until then nothing is lost.
      void Promise.allSettled([this.#files.fileSystem.setModifiedAt?.(path, Date.now())])
    }, HEARTBEAT_MS)
    heartbeat.unref()
    try {
      await write()
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #commit(
    paths: EntryPaths,
    pending: FilePair,
    sidecar: Sidecar,
    closed: Promise<unknown>,
  ): Promise<WrittenEntry> {
    const { lastUsedAt } = sidecar.info
    const dated = this.#files.dateSidecar(pending.sidecar, sidecar)
    // What traces the content reaches the medium before it.
    if (this.#files.fsync) await dated
    await settled([dated, this.#placeContent(paths, pending, sidecar), closed])
    for (const [attempt, pause] of PATIENCE_MS.entries()) {
      if (attempt > 0) await this.#placeContent(paths, pending, sidecar)
      // Power may fail at any point: no sidecar may reach the medium before its content.
      await this.#files.sync([paths.contentFolder])
      if (await this.#files.put(pending.sidecar, paths.sidecar, paths.sidecarFolder)) {
        await this.#holdContent(paths, pending, sidecar)
        return { created: true, lastUsedAt }
      }
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing !== undefined) {
        const isWhole = existing.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))
        if (!isWhole) {
          await this.#files.replace(paths, pending.sidecar, paths.sidecar, paths.sidecarFolder)
          await this.#holdContent(paths, pending, sidecar)
          return { created: true, lastUsedAt }
        }
        const usedAt = await this.#files.touch(paths, existing, lastUsedAt)
        if (usedAt !== undefined) return { created: false, lastUsedAt: usedAt }
      }
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} keeps being removed while it is stored. Try again.`)
  }

  /** Give the content its own name, unless equal content has it already. */
  async #placeContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    const content = paths.content(sidecar.extension)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await this.#files.put(pending.content, content, paths.contentFolder)) return
      const status = await this.#files.stat(content)
      if (status?.kind === 'file' && status.size === sidecar.info.size) return
      // Taken away again between the two looks.
      if (status === undefined) continue
      // Bytes of another length are those of an entry that is whole, or damaged.
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing?.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))) return
      await this.#files.replace(paths, pending.content, content, paths.contentFolder)
      return
    }
  }

  /** Make sure that the content is there after the commit: a removal begun before it may have taken it away. */
  async #holdContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    let replaced = false
    for (const pause of PATIENCE_MS) {
      const isThere = await this.#files.hasContent(paths, sidecar)
      if (isThere && !replaced) return
      if ((await this.#files.stat(paths.sidecar)) === undefined) {
        // Removed again since then, which comes after this call's own success.
        if (replaced) await this.#remover.removeOrphan(paths, sidecar.extension)
        return
      }
      if (isThere) return
      await this.#placeContent(paths, pending, sidecar)
      replaced = true
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} keeps being removed while it is stored. Try again.`)
  }
}

/** Read what need not be written. */
export async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of fromSource(chunks));
}

async function* fromSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (cause) {
    throw new SourceFailure('The chunks to store failed.', { cause })
  }
}

/** Give back what was taken from a source, then the rest of it. */
async function* chained(
  taken: readonly IteratorResult<Uint8Array, unknown>[],
  source: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const next of taken) if (next.done !== true) yield next.value
  yield* source
}

/** Wait for all, for those that go on after one has failed too. */
async function settled<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises)
  return (await Promise.all(promises)) as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}
