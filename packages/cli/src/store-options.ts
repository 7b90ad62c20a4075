import { Option, type Command } from 'commander'
import { quoteForShell } from './format.ts'
import { encodeScope, parseScope } from './option-parsers.ts'
import { redactUrl } from './redact-url.ts'

/** The store of a command that is given none. */
export const DEFAULT_STORE = 'file:./.spillway'

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
