import { parseExactJson } from '@spillway/core/adapter'
import { CliError, usageError } from '../../cli-error.ts'
import { EXIT_CODE } from '../../exit-code.ts'

/** Say what is wrong with a transcript, and on which line where that is known. Nothing of its content is told. */
export const transcriptError = (
  path: string,
  line: number | undefined,
  what: string,
  options?: ErrorOptions,
): CliError => usageError(`${path}${line === undefined ? '' : `:${line}`}: ${what}`, options)

/** Run what reads a file; where that fails, say why. */
export async function readingFile<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const { code, syscall } = Object(error) as NodeJS.ErrnoException
    if (syscall === undefined || code === undefined) throw error
    const reason =
      code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`
    throw new CliError('unreadable-file', EXIT_CODE.nothing, `${path}: ${reason}.`, { cause: error })
  }
}

/** Parse JSON; `undefined` where it is none, as no JSON is that. Numbers keep their digits. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
