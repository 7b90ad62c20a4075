import { cleanLine, perSubject } from '@spillway/text/internal'
import { isLongEntry, nameOfLongEntry } from '@spillway/text/internal/tables'
import { fitBudget } from '../layout/fit-budget.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { shareRead, type ListedLine, type ListingForm, type ListingReader } from './listing-form.ts'
import { ListingLayout } from './listing-layout.ts'
import { ListingLines } from './listing-reader.ts'
import { matchListing } from './match-listing.ts'
import { pathListing } from './path-listing.ts'

/** What is drawn before the branch of an entry, and the branch itself. */
const ABOVE = ' \u00a0│|'
const BRANCHES = '├└+`|'
const LINES = '─-┬'
const LEAST_BRANCHES = 4
/** Folders above an entry that are followed. */
const DEEPEST = 16

/** A tree as `tree`, `npm ls`, `cargo tree` and `pnpm list` draw it. */
const treeListing: ListingForm = {
  name: 'tree',
  group: 'branch',
  item: 'entry',
  onLines: false,
  mark: '/',
  joint: '/',
  recognize: (lines) => {
    const filled = lines.filter((line) => line.trim() !== '')
    const branches = filled.filter((line) => branchAt(line) >= 0).length
    return branches >= LEAST_BRANCHES && branches >= filled.length * 0.6 ? 0.92 : 0
  },
  start: () => new TreeReader(),
}

class TreeReader implements ListingReader {
  /** The folders above, each with how far it is indented. */
  #above: { readonly name: string; readonly indent: number }[] = []

  read(line: string): ListedLine | undefined {
    if (line.trim() === '') return {}
    const indent = branchAt(line)
    if (indent < 0) {
      if (/^\s*\d+ (?:director|folder|file)/.test(line)) return {}
      this.#above = []
      return { group: '', item: line.trim() }
    }
    const name = line.slice(branchEnd(line, indent)).trim()
    let depth = this.#above.length
    while (depth > 0 && this.#above[depth - 1]!.indent >= indent) depth--
    this.#above.length = depth
    const group = this.#above.map((folder) => folder.name).join('/')
    if (depth < DEEPEST) this.#above.push({ name, indent })
    return { group, item: name }
  }
}

/** Where the branch of an entry begins, or -1 where a line has none. */
function branchAt(line: string): number {
  let at = 0
  while (at < line.length && ABOVE.includes(line[at]!) && !isBranch(line, at)) at++
  return isBranch(line, at) ? at : -1
}

function isBranch(line: string, at: number): boolean {
  return at + 1 < line.length && BRANCHES.includes(line[at]!) && (line[at + 1] === '─' || line.startsWith('--', at + 1))
}

function branchEnd(line: string, from: number): number {
  let at = from + 1
  while (at < line.length && LINES.includes(line[at]!)) at++
  return at
}

/** Folders that are enough to tell by themselves. */
const LEAST_FOLDERS = 2

/** What `ls -R` and `ls -lR` print: a folder and a colon, its entries one on a line, a blank line. */
const folderListing: ListingForm = {
  name: 'ls -R',
  group: 'folder',
  item: 'entry',
  onLines: false,
  mark: ':',
  joint: '/',
  recognize: (lines, { intent }) => {
    const folders = lines.filter((line, index) => isFolder(line) && (index === 0 || lines[index - 1] === ''))
    const isAsked = /(?:^|[\s;&|])ls\s(?:.*\s)?-[a-zA-Z]*R/.test(intent.command ?? '')
    const isLong = /^total \d/.test(lines[1] ?? '')
    if (!isFolder(lines[0] ?? '') || folders.length < (isAsked || isLong ? 1 : LEAST_FOLDERS)) return 0
    if (folders.filter((line) => /[/.\\]/.test(line)).length < folders.length * 0.8) return 0
    const entries = lines.filter((line) => line !== '' && !isFolder(line))
    const odd = entries.filter(
      (line) => !isLongEntry(line) && !/^total \d/.test(line) && /^\s|\s.*\s.*\s|[:;{(]$/.test(line),
    )
    return odd.length > entries.length * 0.1 ? 0 : 0.92
  },
  start: () => new FolderReader(),
}

class FolderReader implements ListingReader {
  #afterBlank = true

  read(line: string): ListedLine | undefined {
    const isFirst = this.#afterBlank
    this.#afterBlank = line === ''
    if (line === '') return {}
    if (isFirst && isFolder(line)) return { group: line.slice(0, -1) }
    if (line.startsWith('total ') && /^total \d/.test(line)) return {}
    return { item: nameOfLongEntry(line) ?? line }
  }
}

function isFolder(line: string): boolean {
  return line.length > 1 && line.endsWith(':') && !/^\s/.test(line)
}

const LEAST_LINES = 12
const LONGEST_NAME = 80

/** One name on a line, such as the files of a folder or installed packages. */
const nameListing: ListingForm = {
  name: 'names',
  group: 'group',
  item: 'name',
  onLines: false,
  mark: '',
  joint: '',
  recognize: (lines) => {
    const names = lines.filter((line) => line !== '')
    if (names.length < LEAST_LINES || shareRead(names, { read: readName }) < 0.98) return 0
    if (new Set(names).size < names.length * 0.9) return 0
    const length = names.reduce((sum, name) => sum + name.length, 0) / names.length
    // Lines of one length are encoded bytes.
    return length > 40 || names.filter((name) => !/\p{L}/u.test(name)).length > names.length * 0.2 ? 0 : 0.6
  },
  start: () => ({ read: readName }),
}

function readName(line: string): ListedLine | undefined {
  if (line === '') return {}
  return line.length <= LONGEST_NAME && /^[\p{L}\p{N}_@.~][\p{L}\p{N}_@.+~=#%,^-]*[*/@=|]?$/u.test(line)
    ? { group: '', item: line }
    : undefined
}

const FORMS: readonly ListingForm[] = [folderListing, matchListing, treeListing, pathListing, nameListing]
/** Lines that are looked at. */
const MOST_LINES = 400

/**
 * Preview listings: the files of folders, paths, matches of a search, trees, names.
 *
 * The preview counts what stands in each folder or file, the fullest told apart first, and shows entries of each. It is one
 * of the previewers that every offloader has; made with other options it replaces that one.
 */
export function listingPreviewer(): TextPreviewer {
  return {
    name: 'listing',
    previews: 'text',
    recognize: (subject) => listingForm(subject).sureness,
    read: (subject) => {
      const { form } = listingForm(subject)
      const reader = form && new ListingLines(form)
      return {
        push: (text) => reader?.push(text),
        finish: () => {
          const data = reader?.finish()
          if (data === undefined) return undefined
          return (preview) => {
            const layout = new ListingLayout(data, preview)
            return fitBudget((aim) => layout.write(aim), preview)
          }
        },
      }
    },
  }
}

const listingForm = perSubject((subject: TextSubject): { form: ListingForm | undefined; sureness: number } => {
  const { start, isWhole } = subject
  const all = start.split('\n')
  // The last line may be cut.
  if (!isWhole) all.pop()
  const lines = all.slice(0, MOST_LINES).map((line) => cleanLine(line))
  let best: { form: ListingForm | undefined; sureness: number } = { form: undefined, sureness: 0 }
  for (const form of FORMS) {
    const sureness = form.recognize(lines, subject)
    if (sureness > best.sureness) best = { form, sureness }
  }
  return best
})
