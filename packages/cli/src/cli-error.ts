import type { StorageError } from '@spillway/core'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'

/** A failure that the user is told of in one line: what happened, and what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** Stable, for scripts; the message is prose. */
  readonly code: string
  readonly exitCode: number

  constructor(code: string, exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.exitCode = exitCode
  }
}

/** Make the error of a wrong command line. */
export const usageError = (message: string, options?: ErrorOptions): CliError =>
  new CliError('usage', EXIT_CODE.usage, message, options)

/** Say for any error what the user is told and with which code the process exits. */
export function describeError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (isStorageError(error)) {
    return new CliError(error.code, storageExitCode(error), inStoreOptions(error.message), { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(
    'internal',
    EXIT_CODE.internal,
    `Unexpected error: ${message.replace(/\.$/, '')}. Run it again with SPILLWAY_DEBUG=1 to see where it comes from.`,
    { cause: error },
  )
}

/** An error as `--json` prints it. */
export function errorJson(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = describeError(error)
  return { code, message }
}

/** The brand of a `StorageError`. It is read here, because errors of usage are reported without loading core. */
const STORAGE_ERROR = Symbol.for('spillway.storage-error')

const isStorageError = (error: unknown): error is StorageError =>
  (Object(error) as Readonly<Record<symbol, unknown>>)[STORAGE_ERROR] === true

function storageExitCode({ code }: StorageError): number {
  switch (code) {
    case 'not-found':
    case 'evicted':
      return EXIT_CODE.nothing
    case 'invalid-reference':
    case 'invalid-key':
      return EXIT_CODE.usage
    default:
      return EXIT_CODE.storage
  }
}

/** What the exit code of every command but `run` says; `run` exits with the code of the command that it ran. */
export const EXIT_CODE = {
  ok: 0,
  /** Nothing matched, or what was named is not there. */
  nothing: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The store cannot be used: not installed, unreachable, not writable, damaged. */
  storage: 3,
  /** As shells do: what should be run is no program. */
  notExecutable: 126,
  /** As shells do: there is no such command. */
  notFound: 127,
  /** A fault of Spillway. */
  internal: 70,
} as const

/** The exit code that shells give to a command that a signal has ended. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0)
}

/** Options and parameters as the library names them, and as the command line does. Longer names come before their parts. */
const OPTION_NAMES: readonly (readonly [string, string])[] = [
  ['maxToolMessageTokens', '--max-tool-message-tokens'],
  ['maxRetrievalTokens', '--max-retrieval-tokens'],
  ['maxResultTokens', '--max-tokens'],
  ['maxTotalTokens', '--max-total-tokens'],
  ['historyPreviewTokens', '--preview-tokens'],
  ['previewTokens', '--preview-tokens'],
  ['keepRecent', '--keep-recent'],
  ['compactRatioThreshold', '--ratio'],
  ['groupTokens', '--group-tokens'],
  ['the option summarize', '--model'],
  ['with summarize', 'with --model'],
  ['Use summarize', 'Use --model'],
  ['line_range.start', '--lines'],
  ['line_range.end', '--lines'],
  ['line_range', '--lines'],
  ['context_lines', '--context'],
  ['json_path', '--json-path'],
  ['ignore_case', '--ignore-case'],
  ['count_only', '--count'],
  ['from_end', '--from-end'],
]

/** Options of storages, as messages of failures name them, and what they are in the URL of a store. */
const STORE_OPTIONS: readonly (readonly [string, string])[] = [
  ['the option "directory"', '--store or SPILLWAY_STORE'],
  ['the option "bucket"', '--store or SPILLWAY_STORE'],
  ['the options "region" and "bucket"', 'the region and the bucket of the store'],
  ['the option "region"', 'the parameter region of the store'],
  ['the option "endpoint"', 'the parameter endpoint of the store'],
  ['the option "conditionalPut"', 'the parameter conditional-put of the store'],
]

/** Parameters that are words of prose as well, where a message says which of them go together. */
const PARAMETER =
  /(?<=^|and |[Ww]ith )(pattern|query|sql|after)(?=(?: and [-\w]+)* cannot be used|(?:\.|:)(?:$| Without))/g

/** Write a message of the library with the names that options have on the command line. */
export const inOptionNames = (message: string): string => replaced(message, OPTION_NAMES).replaceAll(PARAMETER, '--$1')

/** Write the message of a storage's failure with what the command line has in the place of the storage's options. */
export const inStoreOptions = (message: string): string => replaced(message, STORE_OPTIONS)

const replaced = (message: string, names: readonly (readonly [string, string])[]): string =>
  names.reduce((said, [library, commandLine]) => said.replaceAll(library, commandLine), message)

/** Make something of options; what refuses them tells of the command line's own names. */
export function nameOptions<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(inOptionNames(error.message), { cause: error })
  }
}

/** Read the text of a file that an option names; where that fails, the error names the file and nothing of its content. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw usageError(`${path} cannot be read (${code}).`, { cause: error })
  }
}
