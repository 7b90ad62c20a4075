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
