import { extensionForContentType, StorageError, type NewEntryInfo, type WrittenEntry } from '@spillway/core/driver'
import type { EntryFiles } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import { fileErrorCode, PATIENCE_MS, settled, unless, wait, type FileStep, type FileWriter } from './file-system.ts'
import { pendingPair, type EntryPaths, type FilePair, type Sidecar } from './paths.ts'

const HEARTBEAT_MS = 60_000
/** Largest content, in bytes, written in one batch of steps. Larger batches gain little and delay other writers. */
const MAX_BYTES_AT_ONCE = 256 * 1024
const MAX_ATTEMPTS = 3
const MAX_COMMITS = 10

interface EntryWritten extends WrittenEntry {
  readonly sidecar: Sidecar
}

export interface EntryContent {
  readonly source: ContentSource
  readonly info: NewEntryInfo
  readonly lineIndex: () => string | undefined
}

/** Writes both files under temporary names. Then renames the content, and last the sidecar, which commits the entry. */
export class EntryWriter {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  async write(paths: EntryPaths, entry: EntryContent): Promise<EntryWritten> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#writeStepByStep(paths, entry)
      } catch (error) {
        const isCollected = fileErrorCode(error) === 'ENOENT' && attempt < MAX_ATTEMPTS
        // A collector with a fast clock may remove the files as leftovers of a killed writer. Content in memory is then
        // written again.
        if (!isCollected || (await entry.source.onlyChunk()) === undefined) throw error
      }
  }

  async #writeStepByStep(paths: EntryPaths, entry: EntryContent): Promise<EntryWritten> {
    const pending = pendingPair(paths)
    return this.#clearingUp(paths, pending, extensionOf(entry), async () => {
      const { sidecar, closed } = await this.#writePending(paths, pending, entry)
      const written = await this.#commit(paths, pending, sidecar, closed)
      await this.#files.syncEntry(paths, sidecar.extension)
      return { ...written, sidecar }
    })
  }

  /** Writes in one batch of steps. Returns `undefined` if nothing was written. {@link write} then finds the reason. */
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
        const done = await unless('ENOENT', this.#commit(paths, pending, sidecar))
        return done && { ...done, sidecar }
      }
      await this.#holdContent(paths, pending, sidecar)
      return isNew
    })
  }

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
      // Files that cannot be removed now are collected later. A tombstone may stay, because it is ignored while the
      // entry exists.
      await Promise.allSettled([this.#files.remove(pending.content), this.#files.remove(pending.sidecar)])
    }
  }

  /** If the file system can link open files, the files may still be open when this resolves. */
  async #writePending(
    paths: EntryPaths,
    pending: FilePair,
    entry: EntryContent,
  ): Promise<{ readonly sidecar: Sidecar; readonly closed: Promise<unknown> }> {
    // Read from the stream before creating files, because no heartbeat protects the files while the stream pauses.
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
        // Build the line index while the content is written to disk.
        ;[, sidecar] = await settled([writing, writeSidecar(only.byteLength)])
      }
    } catch (error) {
      await Promise.allSettled([close()])
      throw error
    }
    const closed = close()
    if (this.#files.fsync || this.#files.fileSystem.linksOpenFiles !== true) await closed
    // If closing fails, the commit reports the failure.
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

  async #heldAlive(path: string, write: () => Promise<void>): Promise<void> {
    const heartbeat = setInterval(() => {
      // A failed heartbeat does no harm, because the next write reports the failure.
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
    closed?: Promise<unknown>,
  ): Promise<WrittenEntry> {
    const { lastUsedAt } = sidecar.info
    const dated = this.#files.dateSidecar(pending.sidecar, sidecar)
    // If power fails, gc finds the content by its pending sidecar, which must be durable first.
    if (this.#files.fsync) await dated
    await settled([dated, this.#placeContent(paths, pending, sidecar), closed ?? Promise.resolve()])
    for (const [attempt, pause] of PATIENCE_MS.entries()) {
      if (attempt > 0) await this.#placeContent(paths, pending, sidecar)
      // Power may fail at any point, so the content must be durable before its sidecar.
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
    throw new StorageError('unavailable', `${paths.reference} is repeatedly removed while it is stored. Try again.`)
  }

  /** Checks the content again, because a removal that started before the commit may have moved the content away. */
  async #holdContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    let replaced = false
    for (const pause of PATIENCE_MS) {
      const isThere = await this.#files.hasContent(paths, sidecar)
      if (isThere && !replaced) return
      if ((await this.#files.stat(paths.sidecar)) === undefined) {
        // Another process removed the entry after this call had stored it.
        if (replaced) await this.#remover.removeOrphan(paths, sidecar.extension)
        return
      }
      if (isThere) return
      await this.#placeContent(paths, pending, sidecar)
      replaced = true
      await wait(pause)
    }
    throw new StorageError('unavailable', `${paths.reference} is repeatedly removed while it is stored. Try again.`)
  }

  async #placeContent(paths: EntryPaths, pending: FilePair, sidecar: Sidecar): Promise<void> {
    const content = paths.content(sidecar.extension)
    for (let attempt = 0; attempt < MAX_COMMITS; attempt += 1) {
      if (await this.#files.put(pending.content, content, paths.contentFolder)) return
      const status = await this.#files.stat(content)
      if (status?.kind === 'file' && status.size === sidecar.info.size) return
      // A remover took the content away between the two checks.
      if (status === undefined) continue
      // Content of another size is kept if it belongs to a whole entry, and is replaced otherwise.
      const existing = await this.#files.readSidecar(paths.sidecar)
      if (existing?.sidecar !== undefined && (await this.#files.hasContent(paths, existing.sidecar))) return
      await this.#files.replace(paths, pending.content, content, paths.contentFolder)
      return
    }
  }
}

const extensionOf = ({ info }: EntryContent): string => extensionForContentType(info.contentType)

function describe(entry: EntryContent, size: number): Sidecar {
  const index = entry.lineIndex()
  const info = { ...entry.info, size, ...(index === undefined ? {} : { lineIndex: index }) }
  return { info, extension: extensionOf(entry) }
}

/** Wraps a failure of the source stream, to distinguish it from failures of the file system. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure'
}

export class ContentSource {
  readonly #chunks: AsyncGenerator<Uint8Array>
  #taken: readonly IteratorResult<Uint8Array, unknown>[] | undefined

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = guarded(chunks)
  }

  async onlyChunk(): Promise<Uint8Array | undefined> {
    if (this.#taken === undefined) {
      const first = await this.#chunks.next()
      this.#taken = first.done === true ? [first] : [first, await this.#chunks.next()]
    }
    const [first, second] = this.#taken
    return first?.done !== true && second?.done === true ? first?.value : undefined
  }

  async *all(): AsyncGenerator<Uint8Array> {
    for (const next of this.#taken ?? []) if (next.done !== true) yield next.value
    yield* this.#chunks
  }

  async drain(): Promise<void> {
    for await (const _ of this.#chunks);
  }

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
