import type { ListedLine, ListingForm, ListingReader } from './listing-form.ts'
import { shareRead } from './listing-form.ts'

const LEAST_LINES = 3
/** Lines of one file, without its name, that are enough to tell. */
const LEAST_NUMBERED = 8
const LONGEST_PATH = 4_096
/** A line around a match. */
const CONTEXT = /^[^\s:][^:]{0,511}?-\d{1,9}-/
/** A match below the name of its file, as `rg` shows it on a terminal, or in the only file. */
const NUMBERED = /^(\d{1,9})([:-])(?!\d\d:\d\d)/
/** A compiler's message has a column and a level besides. */
const MESSAGE = /^[^:]{1,512}:\d+:(?:\d+:)? *(?:fatal |internal )?(?:error|warning|note|info|remark)\b/i

/** Matches with their file and line, as `grep -rn`, `git grep -n` and `rg` print them. */
export const matchListing: ListingForm = {
  name: 'matches',
  group: 'file',
  item: 'match',
  onLines: true,
  mark: '',
  joint: ':',
  recognize: (lines) => {
    const filled = lines.filter((line) => line !== '' && line !== '--')
    if (filled.length < LEAST_LINES || shareRead(lines, new MatchReader()) < 0.9) return 0
    if (filled.filter((line) => MESSAGE.test(line)).length > filled.length * 0.2) return 0
    const files = filled.map(fileOf).filter((file) => file !== '')
    if (files.length < filled.filter((line) => NUMBERED.test(line)).length) return numberedSureness(lines)
    if (files.length < LEAST_LINES) return 0
    // Times and sentences look like a file and a line, too.
    const odd = files.filter((file) => /\s/.test(file) || !/[./\\]/.test(file) || /^[\d\-T/.]+$/.test(file))
    return odd.length > files.length * 0.1 ? 0 : 0.9
  },
  start: () => new MatchReader(),
}

class MatchReader implements ListingReader {
  #file = ''
  #afterBlank = true

  read(line: string): ListedLine | undefined {
    const isFirst = this.#afterBlank
    this.#afterBlank = line === ''
    if (line === '' || line === '--') return {}
    const fileEnd = matchedFile(line)
    if (fileEnd > 0) {
      if (this.#file.length !== fileEnd || !line.startsWith(this.#file)) this.#file = line.slice(0, fileEnd)
      const numberEnd = line.indexOf(':', fileEnd + 1)
      return { group: this.#file, item: `${line.slice(fileEnd + 1, numberEnd)}: ${line.slice(numberEnd + 1).trim()}` }
    }
    const numbered = NUMBERED.exec(line)
    if (numbered !== null)
      return numbered[2] === '-' ? {} : { item: `${numbered[1]}: ${line.slice(numbered[0].length).trim()}` }
    if (this.#file !== '' && line.startsWith(`${this.#file}-`) && CONTEXT.test(line)) return {}
    if (!isFirst || !isPath(line)) return undefined
    this.#file = line
    return { group: line }
  }
}

/** How sure it is that numbered lines are matches: those of a file follow each other. */
function numberedSureness(lines: readonly string[]): number {
  const numbers = lines.map((line) => Number(NUMBERED.exec(line)?.[1] ?? 0))
  if (numbers.filter((number) => number > 0).length < LEAST_NUMBERED) return 0
  const falls = numbers.filter(
    (number, index) => number > 0 && numbers[index - 1]! > 0 && number <= numbers[index - 1]!,
  ).length
  const headings = lines.filter((line, index) => isPath(line) && NUMBERED.test(lines[index + 1] ?? '')).length
  return falls > 0 ? 0 : headings > 0 ? 0.9 : 0.6
}

function fileOf(line: string): string {
  return line.slice(0, matchedFile(line))
}

/** Where the name of the file ends of a line such as `src/a.ts:12: text`, or 0. */
function matchedFile(line: string): number {
  const fileEnd = line.indexOf(':')
  if (fileEnd <= 0 || fileEnd > LONGEST_PATH || line.charCodeAt(0) <= 32) return 0
  const numberEnd = line.indexOf(':', fileEnd + 1)
  return numberEnd > fileEnd + 1 && isNumber(line, fileEnd + 1, numberEnd) ? fileEnd : 0
}

function isPath(line: string): boolean {
  return line.length <= LONGEST_PATH && /[./\\]/.test(line) && !/[\s:"'()<>|]/.test(line)
}

function isNumber(text: string, start: number, end: number): boolean {
  if (end - start > 9) return false
  for (let at = start; at < end; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false
  return true
}
