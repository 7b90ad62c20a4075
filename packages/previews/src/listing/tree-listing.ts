import type { ListedLine, ListingForm, ListingReader } from './listing-form.ts'

/** What is drawn before the branch of an entry, and the branch itself. */
const ABOVE = ' \u00a0│|'
const BRANCHES = '├└+`|'
const LINES = '─-┬'
const LEAST_BRANCHES = 4
/** Folders above an entry that are followed. */
const DEEPEST = 16

/** A tree as `tree`, `npm ls`, `cargo tree` and `pnpm list` draw it. */
export const treeListing: ListingForm = {
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
