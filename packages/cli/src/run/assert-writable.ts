import { randomBytes } from 'node:crypto'
import { StorageError, type Storage } from '@spillway/core'
import { CliError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { redactUrl } from '../redact-url.ts'

const PROBE_BYTES = 16

/**
 * Make sure that something can be stored, by doing it: better before a command has run than after.
 *
 * Throws a {@link CliError} with the storage's own code.
 */
export async function assertWritable(storage: Storage, url: string): Promise<void> {
  try {
    // Random, so that it is written and not found existing.
    const reference = await storage.store('spillway_probe', randomBytes(PROBE_BYTES), 'application/octet-stream')
    await storage.delete?.(reference)
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    throw new CliError(
      error.code,
      EXIT_CODE.storage,
      `The store ${redactUrl(url)} cannot be written: ${error.message} ` +
        'The command was not run. Choose another store with --store or SPILLWAY_STORE.',
      { cause: error },
    )
  }
}
