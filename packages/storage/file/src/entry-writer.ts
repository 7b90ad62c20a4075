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

  /** Make the folders of an entry, which {@link write} needs. */
  async prepare(paths: EntryPaths): Promise<void> {
    const { directory } = this.#files
    await Promise.all([directory.ensure(paths.sidecarFolder), directory.ensure(paths.contentFolder)])
  }

  /** Write an entry. Where it exists by the time that it would begin to, touch it. */
  async write(
    paths: EntryPaths,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined,
  ): Promise<WrittenEntry> {
    const pending = pendingPair(paths)
    const extension = extensionForContentType(info.contentType)
    try {
      const describe = (size: number): Sidecar => {
        const index = lineIndex()
        return { info: { ...info, size, ...(index === undefined ? {} : { lineIndex: index }) }, extension }
      }
      const sidecar = await this.#writePending(paths, pending, fromSource(chunks), describe)
      const written = await this.#commit(paths, pending, sidecar)
      await this.#files.syncEntry(paths, extension)
      return written
    } catch (error) {
      await Promise.allSettled([this.#remover.removeOrphan(paths, extension)])
      throw error
    } finally {
      // What cannot be removed now is collected later. A tombstone stays: nobody asks for that of an entry that is there.
      await Promise.allSettled([this.#files.remove(pending.content), this.#files.remove(pending.sidecar)])
    }
  }

  /** Write content and sidecar under their pending names: at the same time where the content is one chunk. */
  async #writePending(
    paths: EntryPaths,
    pending: FilePair,
    source: AsyncGenerator<Uint8Array>,
    describe: (size: number) => Sidecar,
  ): Promise<Sidecar> {
    const create = (path: string): Promise<FileWriter> => this.#files.createPending(paths, path)
    const writeSidecar = async (size: number, file: Promise<FileWriter>): Promise<Sidecar> => {
      const sidecar = describe(size)
      await this.#files.writeSidecar(sidecar, file)
      return sidecar
    }
    try {
      const first = await source.next()
      const second = first.done === true ? first : await source.next()
      if (first.done === true || second.done !== true) {
        const chunks = chained([first, second], source)
        const size = await this.#writeContent(pending.content, chunks, create(pending.content))
        return await writeSidecar(size, create(pending.sidecar))
      }
      const files = [create(pending.content), create(pending.sidecar)] as const
      const [, sidecar] = await both(
        this.#writeContent(pending.content, [first.value], files[0]),
        // Lines are counted while the content is on its way to the disk. The sidecar is closed also if that fails.
        Promise.allSettled(files).then(() => writeSidecar(first.value.byteLength, files[1])),
      )
      return sidecar
    } catch (error) {
      await Promise.allSettled([source.return(undefined)])
      throw error
    }
  }

  async #writeContent(
    path: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    created: Promise<FileWriter>,
  ): Promise<number> {
    const file = await created
    const heartbeat = setInterval(() => {
      // A failure shows in the next write; until then nothing is lost.
      void Promise.allSettled([this.#files.fileSystem.setModifiedAt?.(path, Date.now())])
    }, HEARTBEAT_MS)
    heartbeat.unref()
    let size = 0
    try {
      for await (const chunk of chunks) {
        await file.write(chunk)
        size += chunk.byteLength
      }
    } finally {
      clearInterval(heartbeat)
      await file.close()
    }
    await this.#files.sync([path])
    return size
  }

  async #commit(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<WrittenEntry> {
    const { lastUsedAt } = sidecar.info
    const dated = this.#files.dateSidecar(pending.sidecar, sidecar)
    // What traces the content reaches the medium before it.
    if (this.#files.fsync) await dated
    await both(dated, this.#placeContent(paths, pending, sidecar))
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

/** Wait for two things, for the second also where the first has failed. */
async function both<First, Second>(first: Promise<First>, second: Promise<Second>): Promise<[First, Second]> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}
