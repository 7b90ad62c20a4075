import { cleanLine, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import type { Draft } from '../layout/fit-budget.ts'
import { countOf } from '../layout/gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { ListedGroup } from './listing-groups.ts'
import type { ListingData } from './listing-reader.ts'

/** Share of the budget for folders or files with their counts; what stands in them has the rest. */
const GROUP_SHARE = 0.4

/** A line of the preview: a folder with its own entries, or with all below it. */
interface Entry {
  readonly node: FolderNode
  readonly group: ListedGroup | undefined
  readonly heading: string
  /** Whether it stands for folders that have no line of their own. */
  readonly rest?: boolean
}

/** UTF-16 units of an entry that are shown at most, where more entries are hidden. */
const LONGEST_SHOWN = 160
/** Tokens below which nothing but the first line is worth a try. */
const LEAST_ROOM = 8
/** Tokens of the mark of hidden entries. */
const MARK_TOKENS = 5

/** Tokens of the line that counts the folders without a line. */
const REST_TOKENS = 14
/** Folders that are shown of another at least, if not all of them fit. */
const LEAST_TAKEN = 2

const PLURALS: Readonly<Record<string, string>> = { entry: 'entries', match: 'matches', branch: 'branches' }

/** Writes the preview of a listing. */
export class ListingLayout {
  readonly #data: ListingData
  readonly #options: PreviewOptions
  readonly #root: FolderNode
  readonly #opened = new Map<FolderNode, readonly Entry[]>()
  readonly #costs = new Map<Entry, number>()

  constructor(data: ListingData, options: PreviewOptions) {
    this.#data = data
    this.#options = options
    this.#root = folderTree(data.groups)
  }

  /** Write a preview of about `aim` tokens. */
  write(aim: number): Draft {
    const head = this.#head()
    const left = aim - estimateTokens(head) - 1
    if (left < LEAST_ROOM) return { text: head, complete: false }
    const { entries, tokens, complete } = this.#entries(left * GROUP_SHARE)
    const shown = this.#items(entries, left - tokens)
    return { text: [head, ...shown.lines].join('\n'), complete: complete && shown.complete }
  }

  #head(): string {
    const { form, groups, hasMore, items, lines } = this.#data
    const parts = [countOf(lines, 'line')]
    if (groups.length > 1) parts.push(`${hasMore ? 'over ' : ''}${counted(groups.length, form.group)}`)
    if (items !== lines) parts.push(counted(items, form.item))
    return `[${form.name}: ${parts.join(', ')}]`
  }

  /** The folders that have room, from the one above all: the fullest is opened as long as those in it fit. */
  #entries(share: number): { entries: Entry[]; tokens: number; complete: boolean } {
    let shown: Entry[] = [this.#entry(this.#root)]
    let tokens = this.#cost(shown[0]!)
    const closed = new Set<FolderNode>()
    for (;;) {
      let fullest: Entry | undefined
      for (const entry of shown) {
        if (entry.group !== undefined || closed.has(entry.node)) continue
        if (fullest === undefined || entry.node.total > fullest.node.total) fullest = entry
      }
      if (fullest === undefined) break
      const { node } = fullest
      const room = share - tokens + this.#cost(fullest)
      const opened = this.#fitting(this.#inside(node), room)
      const last = opened.at(-1)
      if (last === undefined) closed.add(node)
      else {
        shown = shown.flatMap((entry) => (entry === fullest ? opened : [entry]))
        tokens += opened.reduce((sum, entry) => sum + this.#cost(entry), 0) - this.#cost(fullest)
        if (last.rest === true) closed.add(last.node)
      }
    }
    return { entries: shown, tokens, complete: closed.size === 0 }
  }

  /** The lines that stand for a folder once it is opened. */
  #inside(node: FolderNode): readonly Entry[] {
    const known = this.#opened.get(node)
    if (known !== undefined) return known
    const children = node.children.map((child) => this.#entry(child))
    const direct = node.group === undefined || node.group.count === 0 ? [] : [this.#direct(node, node.group)]
    const entries = [...direct, ...children]
    this.#opened.set(node, entries)
    return entries
  }

  /** All of these, or the fullest that fit and how many the others are; none where few fit. */
  #fitting(entries: readonly Entry[], room: number): Entry[] {
    // A folder with nothing but one folder says less than that one.
    if (entries.length === 1) return [...entries]
    let left = room
    for (const entry of entries) left -= this.#cost(entry)
    if (left >= 0) return [...entries]
    left = room - REST_TOKENS
    const fullest = entries.toSorted((one, other) => countIn(other) - countIn(one))
    const taken = new Set<Entry>()
    for (const entry of fullest) {
      left -= this.#cost(entry)
      if (left < 0) break
      taken.add(entry)
    }
    if (taken.size < LEAST_TAKEN) return []
    const others = entries.filter((entry) => !taken.has(entry))
    const { item, group } = this.#data.form
    const total = others.reduce((sum, entry) => sum + countIn(entry), 0)
    const groups = others.reduce((sum, entry) => sum + (entry.group === undefined ? entry.node.groups : 1), 0)
    const heading = `[… ${counted(total, item)} in ${countOf(groups, `more ${group}`)}]`
    const rest: FolderNode = { path: '', line: 0, group: undefined, total, groups, children: [] }
    return [...entries.filter((entry) => taken.has(entry)), { node: rest, group: undefined, heading, rest: true }]
  }

  #entry(node: FolderNode): Entry {
    if (node.children.length === 0 && node.group !== undefined) return this.#direct(node, node.group)
    const { group } = this.#data.form
    return {
      node,
      group: undefined,
      heading: `${this.#name(node, '')} [${formatCount(node.total)} in ${counted(node.groups, group)}]`,
    }
  }

  #direct(node: FolderNode, group: ListedGroup): Entry {
    if (this.#data.groups.length === 1 && node.path === '') return { node, group, heading: '' }
    return { node, group, heading: `${this.#name(node, this.#data.form.mark)} [${formatCount(group.count)}]` }
  }

  #name(node: FolderNode, mark: string): string {
    if (node.path === '') return '[top]'
    const path = cutMiddle(cleanLine(node.path), LONGEST_SHOWN * 2)
    return `${node.line}| ${path.endsWith(mark) ? path : path + mark}`
  }

  #cost(entry: Entry): number {
    let cost = this.#costs.get(entry)
    if (cost === undefined) this.#costs.set(entry, (cost = estimateTokens(entry.heading) + 1))
    return cost
  }

  /** The call that shows the lines of a group. */
  #call({ line, count }: ListedGroup): string | undefined {
    return this.#options.showLines?.(line, Math.min(this.#data.lines, line + count))
  }

  /** Show entries of each folder as far as there is room: small folders come to be shown whole. */
  #items(entries: readonly Entry[], budget: number): { lines: string[]; complete: boolean } {
    const { onLines } = this.#data.form
    const weight = (entry: Entry): number => (entry.rest === true ? 0 : Math.sqrt(countIn(entry)) + 2)
    const order = entries
      .map((_, index) => index)
      .toSorted((one, other) => weight(entries[one]!) - weight(entries[other]!))
    let weights = entries.reduce((sum, entry) => sum + weight(entry), 0)
    // The call that shows one of them tells how the others are shown.
    const first = entries.findIndex(({ group }) => group !== undefined && group.count > 2)
    let left = budget - (first < 0 ? 0 : estimateTokens(this.#call(entries[first]!.group!) ?? ''))
    let complete = true
    const lines: string[] = []
    for (const index of order) {
      const entry = entries[index]!
      const { group, heading } = entry
      if (entry.rest === true) {
        lines[index] = heading
        continue
      }
      const room = weights > 0 ? (left * weight(entry)) / weights : 0
      weights -= weight(entry)
      const items = this.#listed(group ?? inside(entry.node, this.#data.form.joint, room), room, index === first)
      left -= items.tokens
      complete &&= group !== undefined && items.complete
      const separator = heading === '' || items.text === '' ? '' : onLines ? '\n' : ' '
      lines[index] = `${heading}${separator}${items.text}`
    }
    return { lines, complete }
  }

  /** The first entries of a group that fit, the last one, and how many stand between. */
  #listed(group: ListedGroup, room: number, saysCall: boolean): { text: string; tokens: number; complete: boolean } {
    const { onLines } = this.#data.form
    const between = onLines ? '\n' : ', '
    const show = (item: string): string => {
      const clean = cleanLine(item)
      const cut = cutAtGrapheme(clean, LONGEST_SHOWN)
      return cut.length < clean.length ? `${cut}…` : clean
    }
    const last = show(group.last)
    const lastTokens = estimateTokens(last) + MARK_TOKENS + 1
    // Whether all of them fit, and no mark stands for others.
    let spare = room
    for (let index = 0; index < group.items.length && spare >= 0; index++)
      spare -= estimateTokens(show(group.items[index]!)) + 1
    const isWhole = spare >= 0 && group.items.length === group.count
    const shown: string[] = []
    let tokens = 0
    for (const item of group.items) {
      const text = show(item)
      const cost = estimateTokens(text) + 1
      if (tokens + cost + (isWhole ? 0 : lastTokens) > room) break
      shown.push(text)
      tokens += cost
    }
    const hidden = group.count - shown.length
    if (hidden === 0) return { text: shown.join(between), tokens, complete: true }
    if (shown.length === 0) return { text: '', tokens: 0, complete: false }
    if (hidden === 1) return { text: [...shown, last].join(between), tokens: tokens + lastTokens, complete: true }
    const call = saysCall ? this.#call(group) : undefined
    const more = `… ${formatCount(hidden - 1)} more`
    const mark = call === undefined && !onLines ? more : `[${more}${call === undefined ? '' : `: ${call}`}]`
    const parts = last === '' ? [...shown, mark] : [...shown, mark, last]
    return { text: parts.join(between), tokens: tokens + lastTokens, complete: false }
  }
}

/** The start and the end of a long name: names that begin alike differ in their ends. */
function cutMiddle(name: string, length: number): string {
  if (name.length <= length) return name
  return `${cutAtGrapheme(name, length / 2)}…${cutAtGrapheme(name, length / 2, true)}`
}

/** Of each group below a folder the first entry, with the way to it, as far as there may be room. */
function inside(node: FolderNode, joint: string, room: number): ListedGroup {
  const items: string[] = []
  const open = [node]
  for (let next = open.pop(); next !== undefined && items.length < room; next = open.pop()) {
    const [first] = next.group?.items ?? []
    const way = (next.group?.name ?? '').slice(node.path.length).replace(/^\//, '')
    if (first !== undefined) items.push(way === '' ? first : `${way}${joint}${first}`)
    for (let child = next.children.length - 1; child >= 0; child--) open.push(next.children[child]!)
  }
  return { name: node.path, line: node.line, count: node.total, items, last: '' }
}

/** Entries that a line of the preview stands for. */
function countIn({ node, group }: Entry): number {
  return group === undefined ? node.total : group.count
}

function counted(count: number, noun: string): string {
  return countOf(count, noun, PLURALS[noun] ?? `${noun}s`)
}

/** Folders are told apart down to this depth. */
const DEEPEST = 64

/** A folder with those in it. */
interface FolderNode {
  readonly path: string
  /** The first line that names it or something in it. */
  line: number
  /** What stands in it directly, if it is listed. */
  group: ListedGroup | undefined
  /** Entries in it and below. */
  total: number
  /** Groups in it and below, itself too. */
  groups: number
  readonly children: FolderNode[]
}

/** Arrange groups by their folders. Returns the node above all of them. */
function folderTree(groups: readonly ListedGroup[]): FolderNode {
  const root = nodeOf('', Infinity)
  const nodes = new Map<string, FolderNode>([['', root]])
  for (const group of groups) {
    const above = [root]
    let node = root
    let depth = 0
    for (let end = group.name.indexOf('/', 1); ; end = group.name.indexOf('/', end + 1)) {
      const isLast = end < 0 || ++depth >= DEEPEST
      const path = isLast ? group.name : group.name.slice(0, end)
      let next = nodes.get(path)
      if (next === undefined) {
        next = nodeOf(path, group.line)
        nodes.set(path, next)
        node.children.push(next)
      }
      if (next !== node) above.push(next)
      node = next
      if (isLast) break
    }
    node.group = group
    for (const folder of above) {
      folder.total += group.count
      folder.groups++
      folder.line = Math.min(folder.line, group.line)
    }
  }
  return root
}

function nodeOf(path: string, line: number): FolderNode {
  return { path, line, group: undefined, total: 0, groups: 0, children: [] }
}
