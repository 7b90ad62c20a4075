import { constants } from 'node:fs'
import { mkdtemp, open, rm, rmdir, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpError } from '../app/http-error.ts'
import type { BodySpool, SpooledBody } from '../body/body-spool.ts'

/** How much a {@link FileSpool} may hold. */
export interface FileSpoolOptions {
  /** Bytes of all bodies together. */
  readonly maxSpoolBytes: number
  /** Where its files are made. Defaults to the folder of the system for temporary files. */
  readonly directory?: string | undefined
}

const RETRY_AFTER = 5

/**
 * Keeps bodies in temporary files that only this user can read, each in a folder of its own.
 *
 * File and folder lose their names as soon as the file is open, so that nothing is left of them however the process ends,
 * and nothing that is needed later can be cleaned up by others; where the system does not allow that, they are removed with
 * the body.
 */
export class FileSpool implements BodySpool {
  readonly #options: FileSpoolOptions
  /** Folders that still have a name. */
  readonly #folders = new Set<string>()
  #bytes = 0

  constructor(options: FileSpoolOptions) {
    this.#options = options
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes
  }

  async open(): Promise<SpooledBody> {
    const folder = await withRoom(mkdtemp(join(this.#options.directory ?? tmpdir(), 'spillway-server-')))
    this.#folders.add(folder)
    try {
      const path = join(folder, 'body')
      const file = await withRoom(open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600))
      if (await losesNames(path, folder)) this.#folders.delete(folder)
      return this.#body(file, folder)
    } catch (error) {
      await this.#removeFolder(folder)
      throw error
    }
  }

  /** Remove what may be left of bodies. */
  async close(): Promise<void> {
    await Promise.all([...this.#folders].map((folder) => this.#removeFolder(folder)))
  }

  #body(file: FileHandle, folder: string): SpooledBody {
    let size = 0
    let isRemoved = false
    return {
      write: async (chunk) => {
        if (this.#bytes + chunk.length > this.#options.maxSpoolBytes) throw full()
        this.#bytes += chunk.length
        size += chunk.length
        await withRoom(file.writeFile(chunk))
      },
      read: async () => {
        const bytes = Buffer.allocUnsafeSlow(size)
        for (let filled = 0; filled < size;) {
          const { bytesRead } = await file.read(bytes, filled, size - filled, filled)
          if (bytesRead === 0) throw new Error('A temporary file is shorter than what was written to it.')
          filled += bytesRead
        }
        return bytes
      },
      remove: async () => {
        if (isRemoved) return
        isRemoved = true
        this.#bytes -= size
        await file.close()
        if (this.#folders.has(folder)) await this.#removeFolder(folder)
      },
    }
  }

  async #removeFolder(folder: string): Promise<void> {
    this.#folders.delete(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Take the names of an open file and its folder away, and return whether the system does that. */
async function losesNames(path: string, folder: string): Promise<boolean> {
  try {
    await rm(path)
    await rmdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!['EBUSY', 'EPERM', 'EACCES', 'ENOTEMPTY'].includes(code ?? '')) throw error
    return false
  }
}

/** What systems call it when a disk is full, or the most files are open. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'])

async function withRoom<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw NO_ROOM.has((error as NodeJS.ErrnoException).code) ? full(error) : error
  }
}

const full = (cause?: unknown): HttpError =>
  new HttpError('overloaded', 'There is no room for more bodies. Try again later.', { retryAfter: RETRY_AFTER, cause })
