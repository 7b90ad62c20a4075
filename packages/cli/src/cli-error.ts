import type { StorageError } from '@spillway/core'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'

/** An error that the user sees as one line. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** A stable name, for scripts. */
  readonly code: string
  readonly exitCode: number

  constructor(code: string, exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.exitCode = exitCode
  }
}

export const usageError = (message: string, options?: ErrorOptions): CliError =>
  new CliError('usage', EXIT_CODE.usage, message, options)

export function describeError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (isStorageError(error)) {
    return new CliError(error.code, exitCodeOf(error.code), inStoreOptions(error.message), { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(
    'internal',
    EXIT_CODE.internal,
    `Unexpected error: ${message.replace(/\.$/, '')}. Run it again with SPILLWAY_DEBUG=1 to see where it comes from.`,
    { cause: error },
  )
}

export function errorJson(error: unknown): { readonly code: string; readonly message: string; readonly help: string } {
  const { code, message } = describeError(error)
  return { code, message, help: helpOf(code) }
}

/** Return the documentation URL of an error code, equal to `help` of a `StorageError`, without loading core. */
export const helpOf = (code: string): string =>
  `https://github.com/spillway-js/spillway/blob/main/docs/errors.md#${code}`

/** The mark of a `StorageError`, so that such errors are recognized without loading core. */
const STORAGE_ERROR = Symbol.for('spillway.storage-error')

const isStorageError = (error: unknown): error is StorageError =>
  (Object(error) as Readonly<Record<symbol, unknown>>)[STORAGE_ERROR] === true

/** Return whether an error says that an entry does not exist. */
export const isNotThere = (error: unknown): boolean =>
  (isStorageError(error) || error instanceof CliError) && /^(?:not-found|evicted|invalid-reference)$/.test(error.code)

export function exitCodeOf(code: string): number {
  if (/^(?:not-found|evicted|invalid-range)$/.test(code)) return EXIT_CODE.nothing
  return /^(?:too-large|unavailable|corrupt|unsupported|aborted)$/.test(code) ? EXIT_CODE.storage : EXIT_CODE.usage
}

/** Exit codes of all commands. `run` exits with the code of its command. 124 is also the exit code of `timeout`. */
export const EXIT_CODE = {
  ok: 0,
  /** No match, or not found. */
  nothing: 1,
  usage: 2,
  /** The store is not installed, unreachable, not writable, or damaged. */
  storage: 3,
  timeout: 124,
  notExecutable: 126,
  notFound: 127,
  /** A bug in Spillway. */
  internal: 70,
  /** Standard output cannot be written. */
  output: 74,
} as const

export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0)
}

/** Option names of the library that differ on the command line, longer names first. */
const OPTION_NAMES: readonly (readonly [string, string])[] = [
  ['maxResultTokens', '--max-tokens'],
  ['historyPreviewTokens', '--preview-tokens'],
  ['compactRatioThreshold', '--ratio'],
  ['the option summarize', '--model'],
  ['with summarize', 'with --model'],
  ['Use summarize', 'Use --model'],
  ['line_range.start', '--lines'],
  ['line_range.end', '--lines'],
  ['line_range', '--lines'],
  ['context_lines', '--context'],
  ['count_only', '--count'],
]

/** Option names of the library that are the same on the command line, except for the dashes. */
const SAME_NAMES =
  /\b(?:max(?:ToolMessage|Retrieval|Total)Tokens|previewTokens|keepRecent|groupTokens|json_path|ignore_case|from_end)\b/g

const STORE_OPTIONS: readonly (readonly [string, string])[] = [
  ['the option "directory"', '--store or SPILLWAY_STORE'],
  ['the option "bucket"', '--store or SPILLWAY_STORE'],
  ['the options "region" and "bucket"', 'the region and the bucket of the store'],
  ['the option "region"', 'the parameter region of the store'],
  ['the option "endpoint"', 'the parameter endpoint of the store'],
  ['the option "conditionalPut"', 'the parameter conditional-put of the store'],
]

/** Parameters whose names are also ordinary words. These words are replaced only in messages about combinations. */
const PARAMETER =
  /(?<=^|and |[Ww]ith )(pattern|query|sql|after)(?=(?: and [-\w]+)* cannot be used|(?:\.|:)(?:$| Without))/g

/** Replace option names of the library by option names of the command line. */
export const inOptionNames = (message: string): string =>
  replaced(message, OPTION_NAMES)
    .replaceAll(SAME_NAMES, (name) => `--${name.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase()}`)
    .replaceAll(PARAMETER, '--$1')

export const inStoreOptions = (message: string): string => replaced(message, STORE_OPTIONS)

const replaced = (message: string, names: readonly (readonly [string, string])[]): string =>
  names.reduce((said, [library, commandLine]) => said.replaceAll(library, commandLine), message)

/** Call a function, and convert its `TypeError` to a usage error. */
export function nameOptions<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(inOptionNames(error.message), { cause: error })
  }
}

/** Read a text file that an option names. Errors never contain its content. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    // Editors on Windows begin files with a byte order mark.
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw usageError(`${path} cannot be read (${code}).`, { cause: error })
  }
}

/** Explain that a file cannot be read; other errors are unchanged. */
export function unreadable(error: unknown, path: string, more = ''): unknown {
  const { code, syscall } = Object(error) as NodeJS.ErrnoException
  if (syscall === undefined || code === undefined) return error
  const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`
  return new CliError('unreadable-file', EXIT_CODE.nothing, `${path}: ${reason}. ${more}`.trim(), { cause: error })
}
