import { wordColumns, type LineColumns } from './line-columns.ts'

/** The beginning of a line of `ls -l`: mode, links, owner, group, size, and the time as the C locale or ISO 8601 writes it. */
const ENTRY =
  /^[-bcdlpsDC][-rwxsStTl]{9}[.+@]? +\d+ +\S+ +\S+ +(\d+, +)?[\d.]+[KMGTP]? +((?:[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5}|\d{1,2} [A-Z][a-z]{2} +[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [-+]\d{4})?)) \S/

const NAMES: readonly string[] = ['mode', 'links', 'owner', 'group', 'size', 'modified', 'name']

/** Find the columns of lines that `ls -l` writes. */
export function longListColumns(lines: readonly string[]): LineColumns | undefined {
  // Below the name of a folder stands one of several listings.
  if (lines[0]?.endsWith(':') === true) return undefined
  const entries = lines.filter((line) => line !== '' && !/^total \d/.test(line))
  const matches = entries.map((line) => ENTRY.exec(line)).filter((match) => match !== null)
  if (entries.length < 3 || matches.length < entries.length * 0.9) return undefined
  const words = (matches[0]?.[2] ?? '').split(/ +/).length
  return wordColumns(NAMES.length, NAMES, [1, 1, 1, 1, 1, words, 1])
}

/** Whether a line is one that `ls -l` writes of a file. */
export function isLongEntry(line: string): boolean {
  return ENTRY.test(line)
}

/** The name of the file that a line of `ls -l` is of; `undefined` where it is no such line. */
export function nameOfLongEntry(line: string): string | undefined {
  // Most other lines are told by their length and second word alone.
  if (line.length < 30 || line.charCodeAt(10) > 64) return undefined
  const entry = ENTRY.exec(line)
  return entry === null ? undefined : line.slice(entry[0].length - 1)
}
