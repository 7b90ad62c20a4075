import { isLongEntry, nameOfLongEntry } from '@spillway/text/internal/tables'
import type { ListedLine, ListingForm, ListingReader } from './listing-form.ts'

/** Folders that are enough to tell by themselves. */
const LEAST_FOLDERS = 2

/** What `ls -R` and `ls -lR` print: a folder and a colon, its entries one on a line, a blank line. */
export const folderListing: ListingForm = {
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
