import type { ListedLine, ListingForm, ListingReader } from './listing-form.ts'
import { shareRead } from './listing-form.ts'

const LEAST_LINES = 3
const LONGEST_PATH = 512
/** A match with its file and line; a compiler's message has a column and a level besides. */
const MATCH = /^([^\s:][^:]{0,511}):(\d{1,9})[:](.*)$/
const CONTEXT = /^([^\s:][^:]{0,511}?)-(\d{1,9})-(.*)$/
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
    const matches = filled.map((line) => MATCH.exec(line)).filter((match) => match !== null)
    if (matches.length < LEAST_LINES || shareRead(filled, new MatchReader()) < 0.9) return 0
    if (matches.filter(([, file = '']) => /\s/.test(file) || !/[./\\]/.test(file)).length > matches.length * 0.1)
      return 0
    if (filled.filter((line) => MESSAGE.test(line)).length > filled.length * 0.2) return 0
    // Times look like a file and a line.
    if (matches.filter(([, file = '']) => /^[\d\-T/.]+$/.test(file)).length > matches.length * 0.1) return 0
    return 0.9
  },
  start: () => new MatchReader(),
}

class MatchReader implements ListingReader {
  #file = ''

  read(line: string): ListedLine | undefined {
    if (line === '' || line === '--') return {}
    const fileEnd = line.indexOf(':')
    const numberEnd = fileEnd > 0 ? line.indexOf(':', fileEnd + 1) : -1
    if (numberEnd > fileEnd + 1 && isNumber(line, fileEnd + 1, numberEnd) && fileEnd < LONGEST_PATH) {
      if (this.#file.length !== fileEnd || !line.startsWith(this.#file)) this.#file = line.slice(0, fileEnd)
      return { group: this.#file, item: `${line.slice(fileEnd + 1, numberEnd)}: ${line.slice(numberEnd + 1).trim()}` }
    }
    // A line around a match, of the same file.
    const context = this.#file !== '' && line.startsWith(`${this.#file}-`) ? CONTEXT.exec(line) : null
    return context === null ? undefined : {}
  }
}

function isNumber(text: string, start: number, end: number): boolean {
  if (end - start > 9) return false
  for (let at = start; at < end; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false
  return true
}
