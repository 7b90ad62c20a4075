import { statSync } from 'node:fs'
import { scopeOf, type Storage } from '@spillway/core'
import { usageError } from './cli-error.ts'
import { noteLine } from './output.ts'
import { redactUrl } from './redact-url.ts'
import { DEFAULT_STORE, isEphemeral, type StoreOptions } from './store-options.ts'
import { localPath, openStore, type StoreSettings } from './store-url.ts'

/** What a command does with a store. */
export interface StoreUse extends StoreSettings {
  /** Whether a store that lives only as long as this process is of use. Defaults to `false`. */
  readonly allowEphemeral?: boolean
  /** Whether the command may store. Defaults to `allowEphemeral`. */
  readonly writes?: boolean
}

/**
 * Open the store and scope of a command, use it, and close it. Tells the user if a
 * command that only reads finds nothing at the place that was named.
 *
 * Throws a {@link CliError} `usage` for a store that has nothing in it from before and keeps nothing for later, unless
 * `allowEphemeral` is set.
 */
export async function withStore<Result>(
  options: StoreOptions,
  use: (storage: Storage) => Promise<Result>,
  { allowEphemeral = false, writes = allowEphemeral, ...settings }: StoreUse = {},
): Promise<Result> {
  if (isEphemeral(options) && !allowEphemeral) {
    throw usageError('memory: keeps nothing from one command to the next: it is of use only with `spillway run`.')
  }
  const storage = await openStore(options.store, settings)
  // Before the first entry there is no default store, and nothing is wrong with that.
  if (!writes && options.store !== DEFAULT_STORE && isMissing(localPath(options.store)))
    await noteLine(`there is no store at ${redactUrl(options.store)}. Another is named with --store or SPILLWAY_STORE.`)
  try {
    return await use(options.scope === undefined ? storage : scopeOf(storage, options.scope))
  } finally {
    await storage.close?.()
  }
}

/** Whether nothing is at a path; false if that cannot be told. */
function isMissing(path: string | undefined): boolean {
  try {
    return path !== undefined && statSync(path, { throwIfNoEntry: false }) === undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
