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

/** Write rows with their columns aligned for a terminal, or parted by tabs for a script. */
export function formatTable(rows: readonly (readonly string[])[], aligned: boolean): string {
  if (!aligned) return rows.map((row) => `${row.map((cell) => cell.replace(/[\t\r\n]/g, ' ')).join('\t')}\n`).join('')
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

/** Control characters but tabs and line feeds, and beginnings of escape sequences but those that set colours. */
const UNSAFE = /\u001B(?!\[[\d;]*m)|[\u0000-\u0008\u000B-\u001A\u001C-\u001F\u007F-\u009F]/g

/** Take out of a text what could do more to a terminal than show text in colours. */
export const safeForTerminal = (text: string): string => text.replace(UNSAFE, '�')

/** Take control characters out of a name that somebody else has chosen, before it reaches a terminal. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '�')
