import {
  removedError,
  StorageError,
  BoundedMap,
  type ByteRange,
  type DriverContent,
  type EntryId,
  type EntryInfo,
  type OpenEntry,
} from '@spillway/core/driver'
import type { EntryFiles, FoundSidecar } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import {
  fileErrorCode,
  PATIENCE_MS,
  unless,
  wait,
  type FileContent,
  type FileReader,
  type FileStatus,
} from './file-system.ts'
import type { EntryPaths, Sidecar } from './paths.ts'

export interface EntryFound {
  readonly paths: EntryPaths
  readonly sidecar?: FoundSidecar | undefined
}

export interface EarlyContent extends ContentPlace {
  readonly file: Promise<FileContent | string>
}

interface ContentPlace {
  readonly extension: string
  readonly size: number
}

const MAX_REMEMBERED = 1_000

export class EntryReader {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover
  readonly #remembered = new BoundedMap<EntryId, ContentPlace>(MAX_REMEMBERED)

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  /** Waits until a removal in progress ends. */
  async findSidecar(paths: EntryPaths, known?: FoundSidecar): Promise<FoundSidecar | undefined> {
    if (known !== undefined) return known
    for (const pause of PATIENCE_MS) {
      const found = await this.#files.readSidecar(paths.sidecar)
      if (found !== undefined) return found
      if (!(await this.#remover.isBeingRemoved(paths))) break
      await wait(pause)
    }
    // A removal may have been undone after the sidecar was read.
    return this.#files.readSidecar(paths.sidecar)
  }

  async describe({ paths, sidecar }: EntryFound): Promise<Sidecar | undefined> {
    const found = await this.findSidecar(paths, sidecar)
    if (found !== undefined && found.sidecar === undefined)
      throw corrupt(paths, `its description ${paths.sidecar} is damaged`)
    return found?.sidecar
  }

  remember(id: EntryId, { extension, info: { size } }: Sidecar): void {
    this.#remembered.set(id, { extension, size })
  }

  /** Reads the content in parallel with its sidecar. {@link read} checks that they match. */
  readEarly(paths: EntryPaths, range?: ByteRange): EarlyContent | undefined {
    const place = this.#remembered.get(paths.id)
    if (place === undefined) return undefined
    const path = paths.content(place.extension)
    const reading = this.#files.fileSystem.readFile(path, range ?? { offset: 0, length: place.size })
    const file = this.#orProblem(paths, path, reading)
    void Promise.allSettled([file])
    return { ...place, file }
  }

  async read(entry: EntryFound, range?: ByteRange, early?: EarlyContent): Promise<DriverContent | undefined> {
    const { fileSystem } = this.#files
    let known = early
    const read = async (path: string, { info, extension }: Sidecar): Promise<FileContent | string> => {
      const isKnown = known?.extension === extension && known.size === info.size
      const file = isKnown ? known?.file : undefined
      known = undefined
      return (
        file ?? this.#orProblem(entry.paths, path, fileSystem.readFile(path, range ?? { offset: 0, length: info.size }))
      )
    }
    const found = await this.#take(entry, read, async () => undefined)
    return found && { content: found.file.content, info: found.info }
  }

  /** The file system must have `openFile`. */
  async open(entry: EntryFound): Promise<OpenEntry | undefined> {
    const { paths } = entry
    const { fileSystem } = this.#files
    const open = (path: string): Promise<FileReader | string> =>
      this.#orProblem(paths, path, fileSystem.openFile!(path))
    const found = await this.#take(entry, open, (file) => file.close())
    if (found === undefined) return undefined
    const { file, info } = found
    return {
      info,
      read: async (range, buffer) => {
        const read = await unless('ENOENT', file.read(range, buffer))
        if (read !== undefined) return read
        throw removedError(paths.reference)
      },
      close: () => file.close(),
    }
  }

  async #take<File extends { readonly status: FileStatus }>(
    { paths, sidecar: known }: EntryFound,
    take: (path: string, sidecar: Sidecar) => Promise<File | string>,
    giveUp: (file: File) => Promise<void>,
  ): Promise<{ readonly file: File; readonly info: EntryInfo } | undefined> {
    let problem = ''
    for (const [attempt, pause] of [0, ...PATIENCE_MS].entries()) {
      const sidecar = await this.describe({ paths, sidecar: attempt === 0 ? known : undefined })
      if (sidecar === undefined) return undefined
      const { info, extension } = sidecar
      const path = paths.content(extension)
      const file = await take(path, sidecar)
      if (typeof file !== 'string' && file.status.size === info.size) {
        this.remember(paths.id, sidecar)
        return { file, info }
      }
      problem = typeof file === 'string' ? file : `${path} has ${file.status.size} bytes instead of ${info.size}`
      if (typeof file !== 'string') await giveUp(file)
      // The first attempt may use a sidecar that was read before a removal, so search again at once.
      if (attempt > 0 && !(await this.#remover.restoreContent(paths, sidecar))) await wait(pause)
    }
    throw corrupt(paths, problem)
  }

  async #orProblem<File>(paths: EntryPaths, path: string, taken: Promise<File>): Promise<File | string> {
    try {
      return await taken
    } catch (error) {
      const code = fileErrorCode(error)
      if (code === 'ENOENT') return `${path} is missing`
      if (code === 'ELOOP') throw corrupt(paths, `${path} is a symbolic link, which the file storage does not follow`)
      if (code === 'EINVAL' || code === 'EISDIR') throw corrupt(paths, `${path} is not a plain file`)
      throw error
    }
  }
}

function corrupt(paths: EntryPaths, problem: string): StorageError {
  return new StorageError('corrupt', `${paths.reference} cannot be read: ${problem}. Store the content again.`, {
    reference: paths.reference,
  })
}
