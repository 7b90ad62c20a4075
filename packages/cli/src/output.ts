import { styleText } from 'node:util'

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

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Write a number of bytes for people: `512 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Write how long ago something was, in one unit: `5 s`, `3 h`, `12 d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** Write a whole number with commas, whatever the locale. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** Write a time in milliseconds since the epoch for people and scripts. */
export const formatTime = (time: number): string => new Date(time).toISOString()

/** Write rows with their columns aligned for a terminal, or parted by tabs for a script; a cell is on one line. */
export function formatTable(cells: readonly (readonly string[])[], aligned: boolean): string {
  const rows = cells.map((row) => row.map(printable))
  if (!aligned) return rows.map((row) => `${row.join('\t')}\n`).join('')
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  const pad = (cell: string, column: number): string => cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
}

const SAFE_WORD = /^[\w@%+=:,./-]+$/

/** Quote a word for a POSIX shell, where it needs that. */
export const quoteForShell = (word: string): string =>
  SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Colors, and characters that do something to a terminal, or to the order of a line, other than show text. */
const UNSAFE =
  /\u001B\[[\d;:]*m|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g

/** Make control characters of a text visible, as `␛` for an escape, and remove colors. Line ends and tabs stay. */
export const visible = (text: string): string => text.replace(UNSAFE, symbolOf)

/** Write a name that somebody else has chosen on one line, with its control characters visible. */
export const printable = (name: string): string => visible(name).replace(/[\t\r\n]/g, ' ')

/** Write a value as JSON in which every character that is unsafe on a terminal is escaped. */
export const formatJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(UNSAFE, (unsafe) => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

/** The control pictures of Unicode stand in the order of the characters that they show. */
function symbolOf(unsafe: string): string {
  if (unsafe.length > 1) return ''
  const code = unsafe.charCodeAt(0)
  if (code === 0x7f) return '␡'
  return code < 0x20 ? String.fromCharCode(0x24_00 + code) : '�'
}

/** Highlight the lines that match, if the terminal has colors. */
export function highlight(answer: string): string {
  return answer.replace(
    /^(> *\d+\|)(.*)$/gm,
    (_, number: string, line: string) => `${style('green', number)}${style('bold', line)}`,
  )
}
