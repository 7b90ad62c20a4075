import { StorageError, type ByteRange, type DriverContent } from '@spillway/core'
import type { EntryFiles, FoundSidecar } from './entry-files.ts'
import type { EntryRemover } from './entry-remover.ts'
import { fileErrorCode } from './file-error.ts'
import type { FileContent } from './file-system.ts'
import type { EntryPaths } from './paths.ts'
import type { Sidecar } from './sidecar.ts'
import { PATIENCE_MS, wait } from './wait.ts'

/** Read entries, looking again where another process is just storing or removing them. */
export class EntryReader {
  readonly #files: EntryFiles
  readonly #remover: EntryRemover

  constructor(files: EntryFiles, remover: EntryRemover) {
    this.#files = files
    this.#remover = remover
  }

  /** Find the sidecar of an entry, waiting for a removal in progress to end one way or the other. */
  async findSidecar(paths: EntryPaths): Promise<FoundSidecar | undefined> {
    for (const pause of PATIENCE_MS) {
      const found = await this.#files.readSidecar(paths.sidecar)
      if (found !== undefined) return found
      if (!(await this.#remover.isBeingRemoved(paths))) break
      await wait(pause)
    }
    // A removal that was called off may have ended between the two looks.
    return this.#files.readSidecar(paths.sidecar)
  }

  /** Find the sidecar of an entry; throw `corrupt` where it is damaged. */
  async describe(paths: EntryPaths): Promise<Sidecar | undefined> {
    const found = await this.findSidecar(paths)
    if (found !== undefined && found.sidecar === undefined)
      throw corrupt(paths, `its description ${paths.sidecar} is damaged`)
    return found?.sidecar
  }

  /** Read an entry or a part of it; throw `corrupt` where the content is not what was stored. */
  async read(paths: EntryPaths, range?: ByteRange): Promise<DriverContent | undefined> {
    let problem = ''
    for (const pause of PATIENCE_MS) {
      const sidecar = await this.describe(paths)
      if (sidecar === undefined) return undefined
      const { info, extension } = sidecar
      const path = paths.content(extension)
      const file = await this.#readContent(paths, path, range ?? { offset: 0, length: info.size })
      if (typeof file !== 'string' && file.status.size === info.size) return { content: file.content, info }
      problem = typeof file === 'string' ? file : `${path} has ${file.status.size} bytes instead of ${info.size}`
      if (!(await this.#remover.restoreContent(paths, sidecar))) await wait(pause)
    }
    throw corrupt(paths, problem)
  }

  /** Read the content, or say why it is not there. */
  async #readContent(paths: EntryPaths, path: string, range: ByteRange): Promise<FileContent | string> {
    try {
      return await this.#files.fileSystem.readFile(path, range)
    } catch (error) {
      const code = fileErrorCode(error)
      if (code === 'ENOENT') return `${path} is missing`
      if (code === 'ELOOP') throw corrupt(paths, `${path} is a symbolic link, which the file storage does not follow`)
      if (code === 'EINVAL' || code === 'EISDIR') throw corrupt(paths, `${path} is no plain file`)
      throw error
    }
  }
}

function corrupt(paths: EntryPaths, problem: string): StorageError {
  return new StorageError('corrupt', `${paths.reference} cannot be read: ${problem}. Store the content again.`, {
    reference: paths.reference,
  })
}
