import type { StorageError } from '@spillway/core'
import { EXIT_CODE } from './exit-code.ts'
import { inStoreOptions } from './option-names.ts'

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
