import { Option, type Command } from 'commander'
import { encodeScope, parseScope } from './option-parsers.ts'
import { quoteForShell } from './output.ts'

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

const URL_PARTS = /^([a-z][a-z0-9+.-]*:)?([^?]*)(.*)$/is
const PATH_SCHEME = /^(?:file|sqlite|memory):$/i
/** Hosts or a bucket, with ports, and a path that nothing before an @ or a colon could be the half of. */
const PLAIN_PLACE = /^\/\/[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*(?:\/[^:#]*)?$/
const PLAIN_PARAMETERS: Readonly<Record<string, RegExp>> = {
  endpoint: /^https?:\/\/[\w.-]+(?::\d{1,5})?\/?$/,
  prefix: /^[^@:]*$/,
  region: /^[^@:]*$/,
  'path-style': /^\w*$/,
  'conditional-put': /^\w*$/,
}

/**
 * Return a URL as it may be shown: if a user name, a password or a key could stand in it, whatever it was meant to be,
 * then only its scheme and `…`. Any other URL comes back as it is.
 */
export function redactUrl(url: string): string {
  const [, scheme = '', place = '', query = ''] = URL_PARTS.exec(url) ?? []
  const isPath = PATH_SCHEME.test(scheme)
  const isPlain = isPath ? isPlainPath(url.slice(scheme.length)) : isPlainPlace(scheme, place, query)
  return isPlain ? url : `${scheme}${place.startsWith('//') ? '//' : ''}…`
}

/** Tell whether what should be the path of a file begins as `user:password@host` does, or has a host before it. */
export const looksLikeCredentials = (path: string): boolean =>
  !/^[a-z]:[\\/]/i.test(path) && /^[/\\]{2}[^/]|^[/\\]*[^/\\]*:[^@]*@/.test(path)

/** An @ is part of a path only if the path begins as one. */
const isPlainPath = (path: string): boolean =>
  !looksLikeCredentials(path) && !/\?.*=/s.test(path) && (!path.includes('@') || /^(?:[a-z]:|\.{0,2})[\\/]/i.test(path))

/** An @ is part of names in S3 alone. */
function isPlainPlace(scheme: string, place: string, query: string): boolean {
  if (scheme === '') return !/[:@?]/.test(place + query)
  if (!PLAIN_PLACE.test(place) || (place.includes('@') && !/^s3:$/i.test(scheme))) return false
  return [...new URLSearchParams(query)].every(
    ([name, value]) => Object.hasOwn(PLAIN_PARAMETERS, name) && PLAIN_PARAMETERS[name]!.test(value),
  )
}
