import { scopeOf, type Storage } from '@spillway/core'
import { Option, type Command } from 'commander'
import { quoteForShell } from './format.ts'
import { parseScope } from './option-parsers.ts'
import { openStore, redactUrl, type StoreSettings } from './store-url.ts'

const DEFAULT_STORE = 'file:./.spillway'

/** Options that every command with a store has. */
export interface StoreOptions {
  readonly store: string
  readonly scope?: readonly string[]
  readonly json?: boolean
}

/** Give a command the options that choose its store. */
export function addStoreOptions(command: Command): Command {
  return command
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
    .option('--json', 'print JSON, errors too')
}

/** Open the store and scope of a command, use it, and close it. */
export async function withStore<Result>(
  options: StoreOptions,
  use: (storage: Storage) => Promise<Result>,
  settings: StoreSettings = {},
): Promise<Result> {
  const storage = await openStore(options.store, settings)
  try {
    return await use(options.scope === undefined ? storage : scopeOf(storage, options.scope))
  } finally {
    await storage.close?.()
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
  if (command.getOptionValueSource('store') === 'cli' && redactUrl(store) === store) words.push('--store', store)
  if (command.getOptionValueSource('scope') === 'cli' && scope !== undefined) {
    words.push('--scope', scope.map(encodeSegment).join('/'))
  }
  return words.map((word) => ` ${quoteForShell(word)}`).join('')
}

const encodeSegment = (segment: string): string => segment.replaceAll('%', '%25').replaceAll('/', '%2F')
