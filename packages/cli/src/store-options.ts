import { statSync } from 'node:fs'
import { scopeOf, type Storage } from '@spillway/core'
import { Option, type Command } from 'commander'
import { usageError } from './cli-error.ts'
import { quoteForShell } from './format.ts'
import { encodeScope, parseScope } from './option-parsers.ts'
import { noteLine } from './output.ts'
import { redactUrl } from './redact-url.ts'
import { localPath, openStore, type StoreSettings } from './store-url.ts'

const DEFAULT_STORE = 'file:./.spillway'

/** Options that every command with a store has. */
export interface StoreOptions {
  readonly store: string
  readonly scope?: readonly string[]
  readonly json?: boolean
}

/** Give a command the options that choose its store; `--json` but where it prints nothing. */
export function addStoreOptions(command: Command, { json = true }: { readonly json?: boolean } = {}): Command {
  command
    .addOption(
      new Option('--store <url>', 'where content is: file:./dir, sqlite:./file.db, redis://…, s3://bucket/prefix')
        .env('SPILLWAY_STORE')
        .default(DEFAULT_STORE),
    )
    .addOption(
      new Option('--scope <segments>', 'stay behind this wall, such as tenant-1/session-9; repeated ones are joined')
        .env('SPILLWAY_SCOPE')
        .argParser(parseScope),
    )
  return json ? command.option('--json', 'print JSON, errors too') : command
}

/** Whether a store lives only as long as this process. */
export const isEphemeral = ({ store }: StoreOptions): boolean => /^memory:/i.test(store)

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

/**
 * The options that another command needs to find the same store and scope, for a shell, with a space before each.
 *
 * What comes from the environment is left out: the next command has the same. So are passwords, which must not get into
 * the context of a model.
 */
export function storeArguments(command: Command): string {
  const { store, scope } = command.opts<StoreOptions>()
  const words: string[] = []
  if (command.getOptionValueSource('store') === 'cli' && !hidesStore(command)) words.push('--store', store)
  if (command.getOptionValueSource('scope') === 'cli' && scope !== undefined) {
    words.push('--scope', encodeScope(scope))
  }
  return words.map((word) => ` ${quoteForShell(word)}`).join('')
}

/** Whether other commands cannot be told the store that this one was given, because there are credentials in it. */
export function hidesStore(command: Command): boolean {
  const { store } = command.opts<StoreOptions>()
  return command.getOptionValueSource('store') === 'cli' && redactUrl(store) !== store
}
