import { once } from 'node:events'
import { styleText } from 'node:util'
import { CliError, EXIT_CODE } from './cli-error.ts'

/** Thrown if standard output cannot be written, for example on a full disk. */
export class OutputError extends CliError {
  /** Whether the reader closed standard output, for example after `spillway get … | head`, or with a closed terminal. */
  readonly isClosed: boolean

  constructor(cause: NodeJS.ErrnoException) {
    const message = `The output cannot be written: ${cause.message}.`
    super('unwritable-output', EXIT_CODE.output, message, { cause })
    this.isClosed = /^(?:EPIPE|EIO|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END)$/.test(cause.code ?? '')
  }
}

// The error of a closed stream is ignored here, because each write rejects with its own error.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

/** Write to standard output and wait. Makes control characters visible. Throws an {@link OutputError}. */
export async function print(data: string | Uint8Array): Promise<void> {
  if (data.length > 0) await write(process.stdout, escaped(data))
}

export const printLine = (line: string): Promise<void> => print(`${line}\n`)

/** Version of the format that `--json` prints. README.md describes the format. */
const SCHEMA = 1

export async function printJson(value: object | readonly object[]): Promise<void> {
  const isList = Array.isArray(value)
  const items: readonly object[] = isList ? value : [value]
  for (const item of items) await printLine(formatJson({ schema: SCHEMA, ...item }, isList ? undefined : 2))
}

/** Print text through the user's pager if it is longer than the terminal. */
export async function printPaged(text: string): Promise<void> {
  const { PAGER = process.platform === 'win32' ? 'more' : 'less', LESS = 'FRX' } = process.env
  const { isTTY, rows } = process.stdout
  // Some terminals do not know their height.
  if (!isTTY || !(rows > 0 && text.split('\n').length > rows) || /^(?:cat)?$/.test(PAGER)) return await print(text)
  const { spawn } = await import('node:child_process')
  const pager = spawn(PAGER, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { ...process.env, LESS } })
  // The pager closes its input when the user quits.
  pager.stdin.on('error', () => {})
  pager.stdin.end(escaped(text))
  const [code] = (await once(pager, 'close')) as [number | null]
  if (code === NOT_FOUND) await print(text)
}

/** Exit code of a shell that cannot find a program. */
const NOT_FOUND = 127

/** Write to standard error like {@link print}, ignoring failures. */
export const note = (data: string | Uint8Array): Promise<void> => writeNote(escaped(data))

async function writeNote(data: string | Uint8Array): Promise<void> {
  await Promise.allSettled([write(process.stderr, data)])
}

export const noteLine = (line: string): Promise<void> => note(`spillway: ${line.replace(/\s*\n\s*/g, ' ')}\n`)

export const noteJson = (value: unknown): Promise<void> => note(`${formatJson(value)}\n`)

const CLEAR_LINE = '\r\u001B[2K'

let isStatusShown = false

/** Show progress on a terminal, replacing the previous status. */
export function showStatus(text: string): void {
  if (!process.stderr.isTTY) return
  isStatusShown = true
  // Some terminals do not know their width.
  void writeNote(`${CLEAR_LINE}${printable(text).slice(0, (process.stderr.columns || 80) - 1)}`)
}

export async function clearStatus(): Promise<void> {
  if (isStatusShown) await writeNote(CLEAR_LINE)
  isStatusShown = false
}

/** A random mark in place of the escape characters of styles. Content cannot contain it. */
let styleMark: string | undefined

function escaped(data: string | Uint8Array): string | Uint8Array {
  if (typeof data !== 'string') return data
  return styleMark === undefined ? visible(data) : data.split(styleMark).map(visible).join('\u001B')
}

type Style = Parameters<typeof styleText>[0]

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof COLOR_CHOICES)[number]
let colorChoice: ColorChoice = 'auto'

export const setColor = (choice: ColorChoice = 'auto'): ColorChoice => (colorChoice = choice)

/** Style text for a terminal. Other outputs are styled only if an option or variable requires it. */
export function style(format: Style, text: string): string {
  if (!isColorful(process.stdout)) return text
  styleMark ??= `\u0000${crypto.randomUUID()}`
  return styleText(format, visible(text), { validateStream: false }).replaceAll('\u001B', styleMark)
}

function isColorful(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env
  if (colorChoice !== 'auto') return colorChoice === 'always'
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0'
  return stream.isTTY && NO_COLOR === '' && TERM !== 'dumb'
}

function write(stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error == null ? resolve() : reject(new OutputError(error))))
  })
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Format bytes for people: `512 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Format an age in one unit: `5 s`, `3 h`, `12 d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** Write a count with its noun: `1 entry`, `1,200 entries`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

export const formatTime = (time: number): string => new Date(time).toISOString()

/** Format rows with aligned columns, or separated by tabs for scripts. */
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

/** Print a table with a header on a terminal. Otherwise, print the rows for scripts. */
export async function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  plainRows: readonly (readonly string[])[],
): Promise<void> {
  if (!process.stdout.isTTY) return await print(formatTable(plainRows, false))
  const [first = '', ...lines] = formatTable([header, ...rows], true)
    .trimEnd()
    .split('\n')
  await printPaged(`${[style('dim', first), ...lines].join('\n')}\n`)
}

const SAFE_WORD = /^[\w@%+=:,./-]+$/

export const quoteForShell = (word: string): string =>
  SAFE_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Quote a word for cmd.exe, which expands variables even within quotes. */
export const quoteForCmd = (word: string): string =>
  SAFE_WORD.test(word)
    ? word
    : `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`.replaceAll(/[()%!^"<>&|]/g, '^$&')

/** Color codes, and characters that change the state of a terminal or the direction of text. */
const UNSAFE =
  /\u001B\[[\d;:]*m|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g

/** Make control characters visible, such as `␛` for escape, and remove colors. Line ends and tabs do not change. */
export const visible = (text: string): string => text.replace(UNSAFE, symbolOf)

/** Write an untrusted name on one line, with visible control characters. */
export const printable = (name: string): string => visible(name).replace(/[\t\r\n]/g, ' ')

/** Serialize JSON, escaping characters that are unsafe on a terminal. */
export const formatJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(UNSAFE, (unsafe) => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

/** Return the Unicode picture of a control character. The pictures have the same order as the characters. */
function symbolOf(unsafe: string): string {
  if (unsafe.length > 1) return ''
  const code = unsafe.charCodeAt(0)
  if (code === 0x7f) return '␡'
  return code < 0x20 ? String.fromCharCode(0x24_00 + code) : '�'
}

export function highlight(answer: string): string {
  return answer.replace(
    /^(> *\d+\|)(.*)$/gm,
    (_, number: string, line: string) => `${style('green', number)}${style('bold', line)}`,
  )
}
