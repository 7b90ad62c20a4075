import { extensionForContentType, StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import { fileErrorCode, PATIENCE_MS, settled, unless, wait, type FileStep, type FileWriter } from './file-system.ts'
import { pendingPair, type EntryPaths, type FilePair, type Sidecar } from './paths.ts'

/** How often the file of a stream that has not ended is marked as still being written. */
const HEARTBEAT_MS = 60_000
/** Larger content takes longer than the trips that are saved, and should not keep others waiting. */
const MAX_BYTES_AT_ONCE = 256 * 1024
const MAX_ATTEMPTS = 3

/** What {@link EntryWriter.write} did. */
interface EntryWritten extends WrittenEntry {
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

const MAX_COMMITS = 10

/** Give the files of a writer the names that make them an entry, among others that store and remove the same one. */
class EntryCommitter {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  /**
   * Name the content, then the sidecar, both of which were written; where the entry exists by then, touch it.
   *
   * @param closed - Resolves once the files are closed.
   */
  async commit(
    paths: EntryPaths,
    pending: FilePair,
    sidecar: Sidecar,
    closed?: Promise<unknown>,
  ): Promise<WrittenEntry> {
    const { lastUsedAt } = sidecar.info
    const dated = this.#files.dateSidecar(pending.sidecar, sidecar)
    // What traces the content reaches the medium before it.
    if (this.#files.fsync) await dated
    await settled([dated, this.#placeContent(paths, pending, sidecar), closed ?? Promise.resolve()])
    for (const [attempt, pause] of PATIENCE_MS.entries()) {
      if (attempt > 0) await this.#placeContent(paths, pending, sidecar)
      // Power may fail at any point: no sidecar may reach the medium before its content.
      await this.#files.sync([paths.contentFolder])
      if (await this.#files.put(pending.sidecar, paths.sidecar, paths.sidecarFolder)) {
        await this.holdContent(paths, pending, sidecar)
        return { created: true, lastUsedAt }
      }
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing !== undefined) {
        const isWhole = existing.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))
        if (!isWhole) {
          await this.#files.replace(paths, pending.sidecar, paths.sidecar, paths.sidecarFolder)
          await this.holdContent(paths, pending, sidecar)
          return { created: true, lastUsedAt }
        }
        const usedAt = await this.#files.touch(paths, existing, lastUsedAt)
        if (usedAt !== undefined) return { created: false, lastUsedAt: usedAt }
      }
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} keeps being removed while it is stored. Try again.`)
  }

  /** Make sure that the content is there after the commit: a removal begun before it may have taken it away. */
  async holdContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
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

  /** Give the content its own name, unless equal content has it already. */
  async #placeContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    const content = paths.content(sidecar.extension)
    for (let attempt = 0; attempt < MAX_COMMITS; attempt += 1) {
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
}

/** Carries a failure of the chunks past the file system's own, so that neither is taken for the other. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure'
}

/**
 * The chunks of a content that is to be written, of which the first can be looked at before. {@link end} must be called
 * once nothing more is needed.
 */
export class ContentSource {
  readonly #chunks: AsyncGenerator<Uint8Array>
  #taken: readonly IteratorResult<Uint8Array, unknown>[] | undefined

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = guarded(chunks)
  }

  /** Return the content where it is one chunk. */
  async onlyChunk(): Promise<Uint8Array | undefined> {
    if (this.#taken === undefined) {
      const first = await this.#chunks.next()
      this.#taken = first.done === true ? [first] : [first, await this.#chunks.next()]
    }
    const [first, second] = this.#taken
    return first?.done !== true && second?.done === true ? first?.value : undefined
  }

  /** Go through all chunks, once. */
  async *all(): AsyncGenerator<Uint8Array> {
    for (const next of this.#taken ?? []) if (next.done !== true) yield next.value
    yield* this.#chunks
  }

  /** Read what need not be written. */
  async drain(): Promise<void> {
    for await (const _ of this.#chunks);
  }

  /** Tell the chunks that no more of them are needed. */
  async end(): Promise<void> {
    await this.#chunks.return(undefined)
  }
}

async function* guarded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (cause) {
    throw new SourceFailure('The chunks to store failed.', { cause })
  }
}
