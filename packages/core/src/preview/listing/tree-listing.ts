import type { ListedLine, ListingForm, ListingReader } from './listing-form.ts'

const BRANCH = /^((?:[│|`+ \u00a0]|├|└|─|-){0,400}?)(?:├──|└──|├─┬|└─┬|├─|└─|\+--|`--|\|--) ?(.*)$/
const LEAST_BRANCHES = 4
/** Folders above an entry that are followed. */
const DEEPEST = 100

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
    const branches = filled.filter((line) => BRANCH.test(line)).length
    return branches >= LEAST_BRANCHES && branches >= filled.length * 0.6 ? 0.92 : 0
  },
  start: () => new TreeReader(),
}

class TreeReader implements ListingReader {
  /** The folders above, each with how far it is indented. */
  #above: { readonly name: string; readonly indent: number }[] = []

  read(line: string): ListedLine | undefined {
    if (line.trim() === '') return {}
    const branch = BRANCH.exec(line)
    if (branch === null) {
      if (/^\s*\d+ (?:director|folder|file)/.test(line)) return {}
      this.#above = []
      return { group: '', item: line.trim() }
    }
    const indent = branch[1]!.length
    const name = branch[2]!.trim()
    let depth = this.#above.length
    while (depth > 0 && this.#above[depth - 1]!.indent >= indent) depth--
    this.#above.length = depth
    const group = this.#above.map((folder) => folder.name).join('/')
    if (depth < DEEPEST) this.#above.push({ name: name.slice(0, 100), indent })
    return { group, item: name }
  }
}
