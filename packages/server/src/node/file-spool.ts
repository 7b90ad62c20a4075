import { constants } from 'node:fs'
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HttpError } from '../app/http-error.ts'
import type { BodySpool, SpooledBody } from '../body/body-spool.ts'

/** How much a {@link FileSpool} may hold. */
export interface FileSpoolOptions {
  /** Bytes of all bodies together. */
  readonly maxSpoolBytes: number
  /** Where it makes its folder. Defaults to that of the system for temporary files. */
  readonly directory?: string | undefined
}

const RETRY_AFTER = 5

/**
 * Keeps bodies in temporary files that only this user can read.
 *
 * A file loses its name as soon as it is open, so that nothing is left of it however the process ends; where the system does
 * not allow that, it is removed with the body.
 */
export class FileSpool implements BodySpool {
  readonly #options: FileSpoolOptions
  #folder: Promise<string> | undefined
  #count = 0
  #bytes = 0

  constructor(options: FileSpoolOptions) {
    this.#options = options
  }

  /** Bytes that it holds. */
  get bytes(): number {
    return this.#bytes
  }

  async open(): Promise<SpooledBody> {
    this.#folder ??= mkdtemp(join(this.#options.directory ?? tmpdir(), 'spillway-server-'))
    const path = join(await this.#folder, `${++this.#count}.body`)
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
    const isUnnamed = await removedWhileOpen(path)
    return this.#body(file, isUnnamed ? undefined : path)
  }

  /** Remove its folder, with what may be left in it. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true })
  }

  #body(file: FileHandle, path: string | undefined): SpooledBody {
    let size = 0
    let isRemoved = false
    return {
      write: async (chunk) => {
        if (this.#bytes + chunk.length > this.#options.maxSpoolBytes) throw full()
        this.#bytes += chunk.length
        size += chunk.length
        await file.writeFile(chunk)
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
        if (path !== undefined) await rm(path, { force: true })
      },
    }
  }
}

/** Take the name of an open file away, and return whether the system does that. */
async function removedWhileOpen(path: string): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EBUSY' && code !== 'EPERM' && code !== 'EACCES') throw error
    return false
  }
}

const full = (): HttpError =>
  new HttpError('overloaded', 'There is no room for more bodies. Try again later.', { retryAfter: RETRY_AFTER })
