import { extensionForContentType, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import type { ContentSource } from './content-source.ts'
import { EntryCommitter } from './entry-committer.ts'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import { fileErrorCode, unless } from './file-error.ts'
import type { FileStep, FileWriter } from './file-system.ts'
import { pendingPair, type EntryPaths, type FilePair } from './paths.ts'
import { settled } from './settled.ts'
import type { Sidecar } from './sidecar.ts'

/** How often the file of a stream that has not ended is marked as still being written. */
const HEARTBEAT_MS = 60_000
/** Larger content takes longer than the trips that are saved, and should not keep others waiting. */
const MAX_BYTES_AT_ONCE = 256 * 1024
const MAX_ATTEMPTS = 3

/** What {@link EntryWriter.write} did. */
export interface EntryWritten extends WrittenEntry {
  /** What describes the content that was written. */
  readonly sidecar: Sidecar
}

/** What is written. */
export interface EntryContent {
  readonly source: ContentSource
  readonly info: NewEntryInfo
  /** Called once all of the source was taken. */
  readonly lineIndex: () => string | undefined
}

/**
 * Write entries: content and sidecar under pending names, then the content under its own, then the sidecar, which is
 * the moment at which the entry exists.
 */
export class EntryWriter {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover
  readonly #committer: EntryCommitter

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
    this.#committer = new EntryCommitter(files, remover)
  }

  /** Write an entry whose folders are there. Where it exists by the time that it would begin to, touch it. */
  async write(paths: EntryPaths, entry: EntryContent): Promise<EntryWritten> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#writeStepByStep(paths, entry)
      } catch (error) {
        const isCollected = fileErrorCode(error) === 'ENOENT' && attempt < MAX_ATTEMPTS
        // Whoever collects with a clock that is ahead takes the files for those of a killed writer. What is in memory is
        // written again.
        if (!isCollected || (await entry.source.onlyChunk()) === undefined) throw error
      }
  }

  async #writeStepByStep(paths: EntryPaths, entry: EntryContent): Promise<EntryWritten> {
    const pending = pendingPair(paths)
    return this.#clearingUp(paths, pending, extensionOf(entry), async () => {
      const { sidecar, closed } = await this.#writePending(paths, pending, entry)
      const written = await this.#committer.commit(paths, pending, sidecar, closed)
      await this.#files.syncEntry(paths, sidecar.extension)
      return { ...written, sidecar }
    })
  }

  /**
   * Write small content in one go, if the file system can. Returns `undefined` where nothing has come of it, because the
   * entry is there, its folders are not, or for a reason that {@link write} will meet and explain.
   */
  async writeAtOnce(paths: EntryPaths, entry: EntryContent): Promise<EntryWritten | undefined> {
    const { fileSystem, fsync } = this.#files
    if (fileSystem.runSteps === undefined || fsync) return undefined
    const content = await entry.source.onlyChunk()
    if (content === undefined || content.byteLength > MAX_BYTES_AT_ONCE) return undefined
    const pending = pendingPair(paths)
    const sidecar = describe(entry, content.byteLength)
    const path = paths.content(sidecar.extension)
    const found: readonly FileStep[] = [
      { step: 'isFile', path: this.#files.directory.markPath, size: 0 },
      { step: 'isReal', path: paths.sidecarFolder },
      { step: 'isReal', path: paths.contentFolder },
      { step: 'isMissing', path: paths.sidecar },
    ]
    const written: readonly FileStep[] = [
      ...found,
      { step: 'create', path: pending.content, content },
      this.#files.creationOfSidecar(pending.sidecar, sidecar),
    ]
    const committed: readonly FileStep[] = [
      ...written,
      { step: 'link', from: pending.content, to: path },
      { step: 'link', from: pending.sidecar, to: paths.sidecar },
    ]
    const steps: readonly FileStep[] = [
      ...committed,
      { step: 'isFile', path, size: content.byteLength },
      { step: 'remove', path: pending.content },
      { step: 'remove', path: pending.sidecar },
    ]
    const taken = await fileSystem.runSteps(steps)
    const isNew = { created: true, lastUsedAt: sidecar.info.lastUsedAt, sidecar } as const
    if (taken === steps.length) return isNew
    if (taken < found.length) return undefined
    return this.#clearingUp(paths, pending, sidecar.extension, async () => {
      if (taken < written.length) return undefined
      if (taken < committed.length) {
        const done = await unless('ENOENT', this.#committer.commit(paths, pending, sidecar))
        return done && { ...done, sidecar }
      }
      await this.#committer.holdContent(paths, pending, sidecar)
      return isNew
    })
  }

  /** Run what makes an entry of a writer's files; in the end they are removed, and if it fails all else that came of them. */
  async #clearingUp<Result>(
    paths: EntryPaths,
    pending: FilePair,
    extension: string,
    run: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await run()
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
    entry: EntryContent,
  ): Promise<{ readonly sidecar: Sidecar; readonly closed: Promise<unknown> }> {
    // Before there are files: until a stream goes on, nothing would show that its writer is alive.
    const only = await entry.source.onlyChunk()
    const opening = [pending.content, pending.sidecar].map((path) => this.#files.createPending(paths, path))
    const close = (): Promise<unknown> => settled(opening.map(async (file) => (await file).close()))
    let sidecar: Sidecar
    try {
      const [content, sidecarFile] = (await settled(opening)) as [FileWriter, FileWriter]
      const writeSidecar = async (size: number): Promise<Sidecar> => {
        const described = describe(entry, size)
        await sidecarFile.write(this.#files.encodeSidecar(described))
        return described
      }
      if (only === undefined)
        sidecar = await writeSidecar(await this.#writeAll(pending.content, entry.source.all(), content))
      else {
        const writing = this.#heldAlive(pending.content, () => content.write(only))
        // Lines are counted while the content is on its way to the disk.
        ;[, sidecar] = await settled([writing, writeSidecar(only.byteLength)])
      }
    } catch (error) {
      await Promise.allSettled([close()])
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
}

const extensionOf = ({ info }: EntryContent): string => extensionForContentType(info.contentType)

function describe(entry: EntryContent, size: number): Sidecar {
  const index = entry.lineIndex()
  const info = { ...entry.info, size, ...(index === undefined ? {} : { lineIndex: index }) }
  return { info, extension: extensionOf(entry) }
}
