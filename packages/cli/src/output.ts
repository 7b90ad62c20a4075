import { styleText } from 'node:util'

/** Thrown where the reader of standard output has gone, as in `spillway get … | head`: there is nobody to write for. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

// Each write reports its own failure; without a listener the stream would report it once more, as uncaught.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Write to standard output and wait until it has been taken. Throws an {@link OutputClosedError}. */
export async function print(data: string | Uint8Array): Promise<void> {
  if (data.length > 0) await write(process.stdout, data)
}

/** Print a line. */
export const printLine = (line: string): Promise<void> => print(`${line}\n`)

/** Print a value for scripts. */
export const printJson = (value: unknown): Promise<void> => printLine(JSON.stringify(value, undefined, 2))

/** Write to standard error; where that is closed nobody wants to know. */
export async function note(data: string | Uint8Array): Promise<void> {
  try {
    await write(process.stderr, data)
  } catch (error) {
    if (!(error instanceof OutputClosedError)) throw error
  }
}

/** Tell the user something on standard error, in one line. */
export const noteLine = (line: string): Promise<void> => note(`spillway: ${line}\n`)

const CLEAR_LINE = '\r\u001B[2K'

/** Show on a terminal, and nowhere else, what is going on, in place of what was shown so before. */
export function showStatus(text: string): void {
  // Some terminals do not know their width.
  if (process.stderr.isTTY) void note(`${CLEAR_LINE}${text.slice(0, (process.stderr.columns || 80) - 1)}`)
}

/** Take the status away. */
export async function clearStatus(): Promise<void> {
  if (process.stderr.isTTY) await note(CLEAR_LINE)
}

type Style = Parameters<typeof styleText>[0]

/** Style text for standard output; plain where that is no terminal, or where `NO_COLOR` is set. */
export const style = (format: Style, text: string): string =>
  isColorful(process.stdout) ? styleText(format, text, { validateStream: false }) : text

function isColorful(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR = '', TERM } = process.env
  return stream.isTTY && NO_COLOR === '' && TERM !== 'dumb'
}

function write(stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => {
      if (error == null) return resolve()
      const { code } = error as NodeJS.ErrnoException
      const closed = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END'
      reject(closed ? new OutputClosedError('Standard output was closed.', { cause: error }) : error)
    })
  })
}
