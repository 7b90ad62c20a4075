import { readFile } from 'node:fs/promises'
import { usageError } from './cli-error.ts'

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
