import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { StorageError, type Storage } from '@spillway/core'
import { CliError, describeError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { localPath } from '../store-url.ts'
import { redactUrl } from '../redact-url.ts'

const PROBE_BYTES = 16

/**
 * Make sure that something can be stored, by doing it: better before a command has run than after. A folder or file that is
 * made with the first entry is not made for this: then whoever runs this process must be allowed to make it.
 *
 * Throws a {@link CliError} with the storage's own code.
 */
export async function assertWritable(storage: Storage, url: string): Promise<void> {
  try {
    if (await canBeMade(localPath(url))) return
    // Random, so that it is written and not found existing.
    const reference = await storage.store('spillway_probe', randomBytes(PROBE_BYTES), 'application/octet-stream')
    await storage.delete?.(reference)
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    // Some failures say already what the end of this message says for all of them.
    const message = describeError(error).message.replace(/(?:, or|:) choose another with --store or SPILLWAY_STORE/, '')
    throw new CliError(
      error.code,
      EXIT_CODE.storage,
      `The store ${redactUrl(url)} cannot be written: ${message} ` +
        'The command was not run. Choose another store with --store or SPILLWAY_STORE.',
      { cause: error },
    )
  }
}

/** Whether nothing is at a path yet, and the folder above it, or the nearest that exists, can be written. */
async function canBeMade(path: string | undefined): Promise<boolean> {
  if (path === undefined) return false
  const absolute = resolve(path)
  if (await isThere(absolute)) return false
  let folder = dirname(absolute)
  while (!(await isThere(folder))) folder = dirname(folder)
  // With a slash at its end a file is refused.
  return await isThere(`${folder}/`, constants.W_OK | constants.X_OK)
}

/** Whether something is at a path and may be used so; false if anything is in the way. */
async function isThere(path: string, mode: number = constants.F_OK): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
