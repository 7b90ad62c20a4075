import { extensionForContentType, StorageError, type NewEntryInfo } from '@spillway/core'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import { fileErrorCode } from './file-error.ts'
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

  /** Write an entry; return whether this call created it. Where it exists, touch it. */
  async write(
    paths: EntryPaths,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex: () => string | undefined,
  ): Promise<boolean> {
    const pending = pendingPair(paths)
    const extension = extensionForContentType(info.contentType)
    try {
      await Promise.all([
        this.#files.directory.ensure(paths.sidecarFolder),
        this.#files.directory.ensure(paths.contentFolder),
      ])
      const size = await this.#writeContent(paths, pending.content, chunks)
      await this.#files.sync([pending.content])
      const index = lineIndex()
      const sidecar: Sidecar = {
        info: { ...info, size, ...(index === undefined ? {} : { lineIndex: index }) },
        extension,
      }
      await this.#files.writeSidecar(pending.sidecar, sidecar)
      const created = await this.#commit(paths, pending, sidecar)
      await this.#files.syncEntry(paths, extension)
      return created
    } catch (error) {
      await Promise.allSettled([this.#remover.removeOrphan(paths, extension)])
      throw error
    } finally {
      // What cannot be removed now is collected later.
      await Promise.allSettled([this.#files.remove(pending.content), this.#files.remove(pending.sidecar)])
    }
  }

  async #writeContent(paths: EntryPaths, path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await this.#create(paths, path)
    const heartbeat = setInterval(() => {
      // A failure shows in the next write; until then nothing is lost.
      void Promise.allSettled([this.#files.fileSystem.setModifiedAt?.(path, Date.now())])
    }, HEARTBEAT_MS)
    heartbeat.unref()
    try {
      let size = 0
      for await (const chunk of fromSource(chunks)) {
        await file.write(chunk)
        size += chunk.byteLength
      }
      return size
    } finally {
      clearInterval(heartbeat)
      await file.close()
    }
  }

  async #create(paths: EntryPaths, path: string): Promise<FileWriter> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#files.fileSystem.createFile(path)
      } catch (error) {
        // The folder was empty, and removed just now.
        if (fileErrorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
        await this.#files.directory.ensure(paths.sidecarFolder)
      }
    }
  }

  async #commit(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<boolean> {
    for (const pause of PATIENCE_MS) {
      await this.#placeContent(paths, pending, sidecar)
      // Power may fail at any point: no sidecar may reach the medium before its content.
      await this.#files.sync([paths.contentFolder])
      if (await this.#files.put(pending.sidecar, paths.sidecar, paths.sidecarFolder)) {
        await this.#holdContent(paths, pending, sidecar)
        return true
      }
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing !== undefined) {
        const isWhole = existing.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))
        if (!isWhole) {
          await this.#files.replace(paths, pending.sidecar, paths.sidecar, paths.sidecarFolder)
          await this.#holdContent(paths, pending, sidecar)
          return true
        }
        if ((await this.#files.touch(paths, sidecar.info.lastUsedAt)) !== undefined) return false
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

async function* fromSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (cause) {
    throw new SourceFailure('The chunks to store failed.', { cause })
  }
}
