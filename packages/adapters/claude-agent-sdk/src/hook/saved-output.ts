import { constants } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, sep } from 'node:path'

/** The folder of a session in which Claude Code keeps what was too large for the model. */
const FOLDER = 'tool-results'

/** Output that Claude Code has put into a file, as it was too large for a hook and for the model. */
export interface SavedOutput {
  readonly size: number
  /** Read it from its beginning, in pieces. */
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** Read all of it as text; `undefined` where it is not UTF-8. */
  readonly text: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

/**
 * Open a file that the output of a tool names, if Claude Code has written it: a file, no link, in a folder `tool-results`
 * beneath the transcripts of the project. Returns `undefined` for any other path, and for a file that is gone.
 *
 * Hooks trust their input; but part of it is written by tools, and no tool may have a file read and stored by its name.
 */
export async function openSavedOutput(path: unknown, transcriptPath: string): Promise<SavedOutput | undefined> {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  if (!isAbsolute(path) || !isAbsolute(transcriptPath)) return undefined
  let file: FileHandle | undefined
  try {
    const [real, project] = await Promise.all([realpath(path), realpath(dirname(transcriptPath))])
    if (basename(dirname(real)) !== FOLDER || !real.startsWith(project + sep)) return undefined
    // Nobody may put a link in the place of the file, or a pipe that never ends, between the check and the reading.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (stats.isFile()) return savedOutput(file, stats.size)
    await file.close()
  } catch (error) {
    await file?.close()
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || !['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EINVAL'].includes(code)) throw error
  }
  return undefined
}

function savedOutput(file: FileHandle, size: number): SavedOutput {
  return {
    size,
    chunks: () => file.createReadStream({ start: 0, autoClose: false, highWaterMark: 262_144 }),
    async text() {
      const bytes = new Uint8Array(await file.readFile())
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch (error) {
        if (error instanceof TypeError) return undefined
        throw error
      }
    },
    close: () => file.close(),
  }
}
