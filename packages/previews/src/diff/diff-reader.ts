import { cleanLine, formatCount } from '@spillway/text/internal'
import { itemOf, type Item } from '../layout/preview-model.ts'
import { estimateLetters, indentOf } from '../layout/estimate-letters.ts'
import { ItemStore } from '../layout/item-store.ts'
import type { RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'

/** Indexes of the parts of a preview. */
const FILES = 0
const CHANGES = 1
const WORDS = 2
/** Matches `@@ -1,2 +3,4 @@`. Combined diffs have one more `@` and one more range for each further parent. */
const HUNK = /^(@@+) ((?:-\d{1,9}(?:,\d{1,9})? )+)\+\d{1,9}(?:,(\d{1,9}))? @@+/
/** Matches the part after the path in a line of statistics. */
const STAT = /^\| +(?:(\d+) ?[-+]*|Bin\b.*)$/
const STAT_SUM = /^ \d+ files? changed(?:, |$)/
const COMMIT = /^(?:commit [0-9a-f]{7,64}\b|From [0-9a-f]{40} |changeset: +\d+:|# HG changeset patch|r\d+ \| )/
/** Fields of a commit before its message. */
const COMMIT_FIELD = /^(?:[A-Z][A-Za-z-]{1,20}|user|date|branch|parent|tag): /
/** Number of lines at the start of a commit message that have a higher value. */
const ABOUT_COMMIT = 12

interface DiffFile {
  readonly item: Item
  path: string
  weight: number
  added: number
  removed: number
  readonly notes: string[]
  hunks: number
  /** Whether the `---` of this file was read. Another `---` then starts the next file. */
  named: boolean
}

interface Hunk {
  readonly item: Item
  /** Number of columns for marks before each line. */
  readonly columns: number
  /** Number of lines that the hunk still has in the old and the new file. */
  old: number
  fresh: number
  changes: number
  context: number
}

export class DiffReader {
  /** First lines of files and hunks, 1-based. */
  readonly fileStarts: number[] = []
  readonly hunkStarts: number[] = []
  commits = 0
  added = 0
  removed = 0
  statFiles = 0
  readonly #store = new ItemStore()
  readonly #wanted: WantedWords
  #blanks = 0
  #file: DiffFile | undefined
  #hunk: Hunk | undefined
  #aboutCommit = Infinity
  #isInField = false

  constructor(wanted: readonly string[]) {
    this.#wanted = new WantedWords(wanted)
  }

  push(line: RawLine): void {
    const text = line.text.includes('\u001b') ? cleanLine(line.text) : line.text
    if (this.#hunk !== undefined && this.#inHunk(line, text)) return
    if (text.trim() === '' && line.hidden === 0) {
      this.#blanks++
      return
    }
    if (text.startsWith('@@') && this.#startsHunk(line, text)) return
    const header = diffHeader(text)
    if (header !== undefined && this.#takesHeader(line, header)) return
    this.#words(line, text)
  }

  finish(): Item[] {
    this.#endFile()
    return this.#store.finish()
  }

  #takesHeader(line: RawLine, header: DiffHeader): boolean {
    const file = this.#file
    if (header.kind === 'file') {
      this.#startFile(line, header.path)
      return true
    }
    const isOpen = file !== undefined && this.#hunk === undefined && file.item.end === line.number - 1 - this.#blanks
    if (header.kind === 'old') {
      if (isOpen && !file.named) this.#extend(file, line)
      else this.#startFile(line, header.path)
      this.#file!.named = true
      return true
    }
    if (!isOpen) return false
    this.#extend(file, line)
    if (header.kind === 'note') {
      if (header.note !== '' && !file.notes.includes(header.note)) file.notes.push(header.note)
    } else if (header.path !== '/dev/null' && header.path !== file.path) {
      // A renamed file is listed under its new name.
      file.path = header.path
      file.item.text = header.path
      file.weight = fileWeight(header.path, this.#wanted)
    }
    return true
  }

  #startFile(line: RawLine, path: string): void {
    this.#endFile()
    this.fileStarts.push(line.number)
    const weight = fileWeight(path, this.#wanted)
    const item = this.#add(line, path, 6 + 10 * weight, FILES, undefined)
    item.numbered = true
    item.lone = true
    this.#file = { item, path, weight, added: 0, removed: 0, notes: [], hunks: 0, named: false }
    this.#aboutCommit = Infinity
  }

  #extend(file: DiffFile, line: RawLine): void {
    file.item.end = line.number
    this.#blanks = 0
  }

  #endFile(): void {
    const file = this.#file
    this.#hunk = undefined
    if (file === undefined) return
    const counts = [
      ...(file.added > 0 ? [`+${formatCount(file.added)}`] : []),
      ...(file.removed > 0 ? [`−${formatCount(file.removed)}`] : []),
    ]
    file.item.note = [...(counts.length > 0 ? [counts.join(' ')] : []), ...file.notes].join(', ')
    this.#file = undefined
  }

  #startsHunk(line: RawLine, text: string): boolean {
    const found = HUNK.exec(text.slice(0, 300))
    if (found === null) return false
    if (this.#file === undefined) this.#startFile(line, 'unnamed')
    const file = this.#file!
    const index = file.hunks++
    const columns = found[1]!.length - 1
    const old = /,(\d+)/.exec(found[2]!)
    this.hunkStarts.push(line.number)
    // The header of a new file's only hunk has no further information.
    const isWhole = index === 0 && text.startsWith('@@ -0,0 ') && file.item.end === line.number - 1
    const item = isWhole ? file.item : this.#add(line, line.text, 0.5 * file.weight, CHANGES, file.item)
    if (isWhole) this.#extend(file, line)
    else item.numbered = true
    this.#hunk = { item, columns, old: Number(old?.[1] ?? 1), fresh: Number(found[3] ?? 1), changes: 0, context: 0 }
    return true
  }

  /** Reads a line of a hunk. Returns `false` if the hunk has ended. */
  #inHunk(line: RawLine, text: string): boolean {
    const hunk = this.#hunk!
    const file = this.#file!
    const mark = hunk.columns === 1 ? text.charCodeAt(0) : markOf(text, hunk.columns)
    const isDone = hunk.columns === 1 ? hunk.old <= 0 && hunk.fresh <= 0 : hunk.fresh <= 0 && mark !== 45
    if (mark === 92) {
      // The line `\ No newline at end of file` does not end the hunk.
      this.#add(line, line.text, 0.1, CHANGES, hunk.item)
      return true
    }
    if (isDone || (mark !== 43 && mark !== 45 && mark !== 32 && text !== '')) {
      this.#hunk = undefined
      return false
    }
    if (mark !== 43) hunk.old--
    if (mark !== 45) hunk.fresh--
    if (mark === 43) {
      file.added++
      this.added++
    } else if (mark === 45) {
      file.removed++
      this.removed++
    }
    this.#addChange(line, hunk, file, mark === 43 || mark === 45)
    return true
  }

  #addChange(line: RawLine, hunk: Hunk, file: DiffFile, isChange: boolean): void {
    const place = isChange ? 1 / (1 + 0.07 * hunk.changes++) : 0.2 / (1 + 0.2 * hunk.context++)
    const value =
      (file.weight * place * Math.sqrt(estimateLetters(line.text, indentOf(line.text, hunk.columns), 160) + 1)) /
      (1 + 0.12 * (file.hunks - 1))
    this.#add(line, line.text, value, CHANGES, hunk.item)
  }

  /** Reads lines outside of files: commit messages, statistics, and others. */
  #words(line: RawLine, text: string): void {
    if (COMMIT.test(text)) {
      this.#endFile()
      this.commits++
      this.#aboutCommit = 0
      this.#add(line, line.text, 10, WORDS, undefined)
      return
    }
    const bar = text.startsWith(' ') ? text.indexOf(' | ') + 1 : 0
    const stat = bar > 0 && text.length < 600 ? STAT.exec(text.slice(bar)) : null
    if (stat !== null) {
      this.statFiles++
      const weight = fileWeight(text.slice(1, bar).trim(), this.#wanted)
      this.#add(line, line.text, 1 + Math.log2(1 + Number(stat[1] ?? 0)) * weight, WORDS, undefined)
      return
    }
    if (STAT_SUM.test(text)) {
      // The sum of a single commit in a series says less than the subject.
      this.#add(line, line.text, this.commits > 1 ? 2 : 20, WORDS, undefined)
      return
    }
    // In a mail, a field may have several lines.
    const isField: boolean = /^\s/.test(text)
      ? this.#isInField && this.#blanks === 0
      : COMMIT_FIELD.test(text.slice(0, 30)) && !text.startsWith('Subject: ')
    this.#isInField = isField
    const index = isField ? this.#aboutCommit : this.#aboutCommit++
    const isSubject = !isField && index === 0
    const value = isField || text === '---' ? 0.5 : index <= ABOUT_COMMIT ? 12 / (1 + index) : 0.5
    const item = this.#add(line, line.text, isSubject ? 30 : value, WORDS, undefined)
    item.numbered = item.lone = isSubject
  }

  #add(line: RawLine, text: string, value: number, part: number, parent: Item | undefined): Item {
    const item = itemOf(line, this.#blanks, value, part, parent)
    item.text = text
    this.#blanks = 0
    this.#store.add(item)
    return item
  }
}

/** Return the mark of a line. In a combined diff, the mark may be in any column. */
function markOf(text: string, columns: number): number {
  let mark = text.charCodeAt(0)
  for (let at = 0; at < columns && at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== 43 && code !== 45 && code !== 32) return at === 0 ? code : mark
    if (code !== 32) mark = code
  }
  return mark
}

/** Matches generated files, whose changes follow from other changes. */
const WRITTEN =
  /(?:^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|generated|__generated__|__snapshots__|\.yarn)\/|(?:^|[/.-])lock(?:\.\w+|file)?$|(?:lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|\.resolved)$|\.min\.(?:js|css)$|\.(?:map|snap|pb\.go|g\.dart|designer\.cs|svg|po|pot|csv|tsv|ipynb)$|_pb2(?:_grpc)?\.pyi?$|[._-]generated\./i

/** Weighs a file by its path. Files written by people have the weight 1. */
export function fileWeight(path: string, wanted: WantedWords): number {
  const lower = path.slice(-500).toLowerCase()
  if (wanted.isIn(lower)) return 5
  return WRITTEN.test(lower) ? 0.12 : 1
}

type DiffHeader =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'old' | 'new'; readonly path: string }
  /** A line without changed content, with a short note. */
  | { readonly kind: 'note'; readonly note: string }

/** Starts of header lines with a path. */
const PATHS: readonly (readonly [start: string, kind: 'file' | 'old' | 'new', path: (rest: string) => string])[] = [
  ['--- ', 'old', pathOf],
  ['+++ ', 'new', pathOf],
  ['Index: ', 'file', (rest) => rest.trim()],
  ['rename to ', 'new', (rest) => rest.trim()],
  ['copy to ', 'new', (rest) => rest.trim()],
]

/** Starts of other header lines, with their notes. */
const NOTES: readonly (readonly [start: string, note: (rest: string) => string])[] = [
  ['new file mode ', () => 'new'],
  ['deleted file mode ', () => 'deleted'],
  ['new mode ', (rest) => `mode ${rest.slice(0, 11)}`],
  ['old mode ', () => ''],
  ['rename from ', (rest) => `renamed from ${rest.slice(0, 488).trim()}`],
  ['copy from ', (rest) => `copied from ${rest.slice(0, 490).trim()}`],
  ['index ', () => ''],
  ['similarity index ', () => ''],
  ['Binary files ', () => 'binary'],
  ['Binary file ', () => 'binary'],
  ['GIT binary patch', () => 'binary'],
]

/** Returns `undefined` if the line is not part of a file's header. */
export function diffHeader(line: string): DiffHeader | undefined {
  if (line.startsWith('diff ')) return diffLine(line)
  if (/^={60,80}$/.test(line.slice(0, 81))) return { kind: 'note', note: '' }
  for (const [start, kind, path] of PATHS)
    if (line.startsWith(start)) return { kind, path: path(line.slice(start.length)) }
  const [start, note] = NOTES.find(([start]) => line.startsWith(start)) ?? []
  return start === undefined ? undefined : { kind: 'note', note: note!(line.slice(start.length)) }
}

function diffLine(line: string): DiffHeader | undefined {
  const combined = /^diff --(?:cc|combined) (.+)$/.exec(line)
  if (combined !== null) return { kind: 'file', path: pathOf(combined[1]!) }
  if (line.startsWith('diff --git ')) {
    const rest = line.slice(11)
    // In `a/path b/path`, the space in the middle separates the two paths if they are equal.
    const half = (rest.length - 1) / 2
    const one = pathOf(rest.slice(0, half))
    if (rest.charAt(half) === ' ' && one === pathOf(rest.slice(half + 1))) return { kind: 'file', path: one }
    const at = rest.lastIndexOf(' b/')
    return { kind: 'file', path: at < 0 ? rest : pathOf(rest.slice(at + 1)) }
  }
  const last = line.slice(line.lastIndexOf(' ') + 1)
  return /^diff (?:-\S+ )+\S/.test(line.slice(0, 300)) ? { kind: 'file', path: pathOf(last) } : undefined
}

/** Returns a path without the time after it and the prefix of git and Mercurial. */
function pathOf(written: string): string {
  const tab = written.indexOf('\t')
  let path = (tab < 0 ? written : written.slice(0, tab)).trim()
  if (path.length > 2 && path.startsWith('"') && path.endsWith('"')) path = path.slice(1, -1)
  // GNU diff without tabs: `path 2024-05-17 10:21:00.000000000 +0000`.
  const time = / \d{4}-\d\d-\d\d \d\d:/.exec(path.slice(-60))
  if (time !== null) path = path.slice(0, path.length - Math.min(60, path.length) + time.index)
  return /^[abciow]\//.test(path) ? path.slice(2) : path
}
