import { styleText } from 'node:util'
import { formatJson, printable, visible } from './format.ts'

/** Thrown where the reader of standard output has gone, as in `spillway get … | head`: there is nobody to write for. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError'
}

// Each write reports its own failure; without a listener the stream would report it once more, as uncaught.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/**
 * Write to standard output and wait until it has been taken: text with its control characters visible, bytes as they are.
 * Throws an {@link OutputClosedError}.
 */
export async function print(data: string | Uint8Array): Promise<void> {
  if (data.length > 0) await write(process.stdout, shown(data))
}

/** Print a line. */
export const printLine = (line: string): Promise<void> => print(`${line}\n`)

/** Print a value for scripts. */
export const printJson = (value: unknown): Promise<void> => printLine(formatJson(value, 2))

/** Write to standard error as {@link print} does; where that is closed nobody wants to know. */
export const note = (data: string | Uint8Array): Promise<void> => writeNote(shown(data))

async function writeNote(data: string | Uint8Array): Promise<void> {
  try {
    await write(process.stderr, data)
  } catch (error) {
    if (!(error instanceof OutputClosedError)) throw error
  }
}

/** Tell the user something on standard error, in one line. */
export const noteLine = (line: string): Promise<void> => note(`spillway: ${line.replace(/\s*\n\s*/g, ' ')}\n`)

/** Write a value to standard error as one line of JSON. */
export const noteJson = (value: unknown): Promise<void> => note(`${formatJson(value)}\n`)

const CLEAR_LINE = '\r\u001B[2K'

/** Show on a terminal, and nowhere else, what is going on, in place of what was shown so before. */
export function showStatus(text: string): void {
  // Some terminals do not know their width.
  if (process.stderr.isTTY)
    void writeNote(`${CLEAR_LINE}${printable(text).slice(0, (process.stderr.columns || 80) - 1)}`)
}

/** Take the status away. */
export async function clearStatus(): Promise<void> {
  if (process.stderr.isTTY) await writeNote(CLEAR_LINE)
}

/**
 * In the place of the escape characters of {@link style} until they are written: no content can contain it. Made on first
 * use, because the first random number of a process takes milliseconds.
 */
let styleMark: string | undefined

function shown(data: string | Uint8Array): string | Uint8Array {
  if (typeof data !== 'string') return data
  return styleMark === undefined ? visible(data) : data.split(styleMark).map(visible).join('\u001B')
}

type Style = Parameters<typeof styleText>[0]

/** Style text that is printed; plain if standard output is no terminal, or if `NO_COLOR` is set. */
export function style(format: Style, text: string): string {
  if (!isColorful(process.stdout)) return text
  styleMark ??= `\u0000${crypto.randomUUID()}`
  return styleText(format, visible(text), { validateStream: false }).replaceAll('\u001B', styleMark)
}

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
