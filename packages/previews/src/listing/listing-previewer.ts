import { perSubject, startLines } from '@spillway/text/internal'
import { nameOfLongEntry } from '@spillway/text/internal/tables'
import { writePreview } from '../layout/write-preview.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { knowsMost, type ListedLine, type ListingForm, type ListingReader } from './listing-form.ts'
import { ListingLines } from './listing-reader.ts'

const LEAST_MATCHES = 3
/** Smallest number of numbered lines in a listing without file names. */
const LEAST_NUMBERED = 8
const LONGEST_FILE = 4_096
/** Matches a context line of a search result. */
const CONTEXT = /^[^\s:][^:]{0,511}?-\d{1,9}-/
/** Matches a search result without a file name, as `rg` prints it below the file name, or for a single file. */
const NUMBERED = /^(\d{1,9})([:-])(?!\d\d:\d\d)/
/** Matches a compiler message, which has a severity after the position. */
const MESSAGE = /^[^:]{1,512}:\d+:(?:\d+:)? *(?:fatal |internal )?(?:error|warning|note|info|remark)\b/i

/** Search results with a file and a line. */
const matchListing: ListingForm = {
  name: 'matches',
  group: 'file',
  item: 'match',
  onLines: true,
  mark: '',
  joint: ':',
  recognize: (lines) => {
    const filled = lines.filter((line) => line !== '' && line !== '--')
    if (filled.length < LEAST_MATCHES || !knowsMost(lines, new MatchReader(), 0.9)) return 0
    if (filled.filter((line) => MESSAGE.test(line)).length > filled.length * 0.2) return 0
    const files = filled.map((line) => line.slice(0, matchedFile(line))).filter((file) => file !== '')
    if (files.length < filled.filter((line) => NUMBERED.test(line)).length) return numberedSureness(lines)
    if (files.length < LEAST_MATCHES) return 0
    // Times and sentences can look like a file with a line.
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
    // Context before the first match of a file names a file that is not known yet.
    const [context = ''] = CONTEXT.exec(line) ?? []
    if (context !== '' && ((this.#file !== '' && line.startsWith(`${this.#file}-`)) || isPath(context))) return {}
    if (!isFirst || !isPath(line)) return undefined
    this.#file = line
    return { group: line }
  }
}

/** Return the confidence that lines are search results without file names. In each file, their line numbers ascend. */
function numberedSureness(lines: readonly string[]): number {
  const numbers = lines.map((line) => Number(NUMBERED.exec(line)?.[1] ?? 0))
  if (numbers.filter((number) => number > 0).length < LEAST_NUMBERED) return 0
  const falls = numbers.filter(
    (number, index) => number > 0 && numbers[index - 1]! > 0 && number <= numbers[index - 1]!,
  ).length
  const headings = lines.filter((line, index) => isPath(line) && NUMBERED.test(lines[index + 1] ?? '')).length
  return falls > 0 ? 0 : headings > 0 ? 0.9 : 0.6
}

/** Return the end of the file name in a line like `src/a.c:12: text`, or 0. */
function matchedFile(line: string): number {
  const fileEnd = line.indexOf(':')
  if (fileEnd <= 0 || fileEnd > LONGEST_FILE || line.charCodeAt(0) <= 32) return 0
  const numberEnd = line.indexOf(':', fileEnd + 1)
  return numberEnd > fileEnd + 1 && isNumber(line, fileEnd + 1, numberEnd) ? fileEnd : 0
}

function isPath(line: string): boolean {
  return line.length <= LONGEST_FILE && /[./\\]/.test(line) && !/[\s:"'()<>|]/.test(line)
}

function isNumber(text: string, start: number, end: number): boolean {
  if (end - start > 9) return false
  for (let at = start; at < end; at++) if (text.charCodeAt(at) < 48 || text.charCodeAt(at) > 57) return false
  return true
}

const LEAST_PATHS = 6
const LONGEST_PATH = 4_096

/** Lists with one path per line, from `find`, `git ls-files` or `rg --files`. */
const pathListing: ListingForm = {
  name: 'paths',
  group: 'folder',
  item: 'path',
  onLines: false,
  mark: '/',
  joint: '/',
  recognize: (lines) => {
    const paths = lines.filter((line) => line !== '')
    if (paths.length < LEAST_PATHS || !knowsMost(paths, { read: readPath }, 0.97)) return 0
    if (paths.filter((line) => /[/\\]/.test(line)).length < paths.length * 0.6) return 0
    if (paths.filter((line) => / /.test(line)).length > paths.length * 0.1) return 0
    // Environment variables have a name before the path.
    if (paths.filter((line) => /^\w+=/.test(line)).length > paths.length * 0.1) return 0
    // Lists with more fields have commas. Encoded bytes have many different starts.
    if (paths.filter((line) => line.includes(',')).length > paths.length * 0.5) return 0
    const folders = paths.map((path) => /^(?:\.{0,2}\/)*[^/]*/.exec(path)?.[0] ?? '')
    if (new Set(folders).size > Math.max(LEAST_PATHS, paths.length * 0.5)) return 0
    return new Set(paths).size < paths.length * 0.9 ? 0 : 0.85
  },
  start: () => ({ read: readKnown }),
}

function readKnown(line: string): ListedLine | undefined {
  if (line === '') return {}
  if (line.length > LONGEST_PATH || line.includes(': ') || line.includes('\t') || line.startsWith(' ')) return undefined
  return split(line)
}

function readPath(line: string): ListedLine | undefined {
  if (line === '') return {}
  if (
    line.length > LONGEST_PATH ||
    !/^[^\s"'`()<>{}[\]|;:=*?,][^\t"`<>|;*?]*$/.test(line) ||
    /: | {2}|:\/\//.test(line)
  )
    return undefined
  return split(line)
}

function split(line: string): ListedLine {
  const path = line.endsWith('/') && line.length > 1 ? line.slice(0, -1) : line
  const end = path.lastIndexOf('/')
  return { group: end < 0 ? '' : path.slice(0, Math.max(end, 1)), item: line.slice(end + 1) }
}

/** Smallest number of folders by which a listing is recognized. */
const LEAST_FOLDERS = 2

/** Output of `ls -R` and `ls -lR`: each folder with a colon, its entries, and a blank line. */
const folderListing: ListingForm = {
  name: 'ls -R',
  group: 'folder',
  item: 'entry',
  onLines: false,
  mark: ':',
  joint: '/',
  recognize: (all, { intent }) => {
    // Messages of `ls` may come before its listing.
    const lines = all.slice(all.findIndex((line) => !line.includes(': ')))
    const folders = lines.filter((line, index) => isFolder(line) && (index === 0 || lines[index - 1] === ''))
    const isAsked = /(?:^|[\s;&|])ls\s(?:.*\s)?-[a-zA-Z]*R/.test(intent.command ?? '')
    const isLong = /^total \d/.test(lines[1] ?? '')
    if (!isFolder(lines[0] ?? '') || folders.length < (isAsked || isLong ? 1 : LEAST_FOLDERS)) return 0
    if (folders.filter((line) => /[/.\\]/.test(line)).length < folders.length * 0.8) return 0
    const entries = lines.filter((line) => line !== '' && !isFolder(line))
    const odd = entries.filter(
      (line) => nameOfLongEntry(line) === undefined && !/^total \d/.test(line) && /^\s|\s.*\s.*\s|[:;{(]$/.test(line),
    )
    return odd.length > entries.length * 0.1 ? 0 : 0.92
  },
  start: () => new FolderReader(),
}

class FolderReader implements ListingReader {
  #afterBlank = true
  /** Whether entries have their attributes, as in `ls -lR`. */
  #isLong = false

  read(line: string): ListedLine | undefined {
    const isFirst = this.#afterBlank
    this.#afterBlank = line === ''
    if (line === '') return {}
    if (isFirst && isFolder(line)) return { group: line.slice(0, -1) }
    if (line.startsWith('total ') && /^total \d/.test(line)) return {}
    const name = nameOfLongEntry(line)
    if (name !== undefined) this.#isLong = true
    // A message of `ls`, such as "ls: cannot open directory './a': Permission denied".
    else if (this.#isLong || line.includes(': ')) {
      this.#afterBlank = isFirst
      return undefined
    }
    return { item: name ?? line }
  }
}

function isFolder(line: string): boolean {
  return line.length > 1 && line.endsWith(':') && !/^\s/.test(line)
}

const FORMS: readonly ListingForm[] = [folderListing, matchListing, pathListing]

/**
 * Previews listings of files, of paths, or of search results.
 *
 * It counts the entries of each folder or file, and shows some entries of each.
 */
export function listingPreviewer(): TextPreviewer {
  return {
    name: 'listing',
    previews: 'text',
    recognize: (subject) => listingForm(subject).sureness,
    read: (subject) => {
      const { form } = listingForm(subject)
      const { words } = subject.intent
      const reader = form && new ListingLines(form)
      return {
        push: (text) => reader?.push(text),
        finish: () => {
          const data = reader?.finish()
          if (data === undefined) return undefined
          return async (options) => {
            const { listingItems } = await import('./listing-items.ts')
            return writePreview(listingItems(data, options, words), options)
          }
        },
      }
    },
  }
}

const listingForm = perSubject((subject: TextSubject): { form: ListingForm | undefined; sureness: number } => {
  const lines = startLines(subject)
  let best: { form: ListingForm | undefined; sureness: number } = { form: undefined, sureness: 0 }
  for (const form of FORMS) {
    const sureness = form.recognize(lines, subject)
    if (sureness > best.sureness) best = { form, sureness }
  }
  return best
})
