import { cleanLine, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { textItem, type PreviewModel } from '../layout/preview-model.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { ListedGroup } from './listing-groups.ts'
import type { ListingData } from './listing-reader.ts'

/** Share of the budget that is used: the estimate of a line alone misses some. */
const USED_SHARE = 0.97
/** Tokens of the budget for each folder that is told apart. */
const FOLDER_TOKENS = 40
/** Folders that are told apart at least, if there are so many. */
const LEAST_FOLDERS = 8
/** UTF-16 units of an entry, and of the name of a folder, that are shown at most. */
const LONGEST_ENTRY = 160
const LONGEST_NAME = 320
/** Tokens of the mark of hidden entries. */
const MARK_TOKENS = 5
/** Folders are told apart down to this depth. */
const DEEPEST = 64

const PLURALS: Readonly<Record<string, string>> = { entry: 'entries', match: 'matches', branch: 'branches' }

/** A folder with those in it. */
interface FolderNode {
  readonly path: string
  /** The first line that names it or something in it. */
  line: number
  /** What stands in it directly, if it is listed. */
  group: ListedGroup | undefined
  /** Entries and groups in it and below. */
  total: number
  groups: number
  readonly children: FolderNode[]
}

/** The folders or files of a listing, each with its first entries; hidden ones are counted. */
export function listingItems(data: ListingData, { budgetTokens, showLines }: PreviewOptions): PreviewModel {
  const { form, groups, hasMore, items: count, lines } = data
  const nodes = openFolders(folderTree(groups), Math.max(LEAST_FOLDERS, budgetTokens / FOLDER_TOKENS))
  const headings = nodes.map((node) => headingOf(node, data))
  const parts = [countOf(lines, 'line')]
  if (groups.length > 1) parts.push(`${hasMore ? 'over ' : ''}${counted(groups.length, form.group)}`)
  if (count !== lines) parts.push(counted(count, form.item))
  const header = `${form.name}: ${parts.join(', ')}`
  const show = (start: number, end: number): string | undefined => {
    const { line, total } = nodes[start - 1]!
    return showLines?.(line, Math.min(lines, Math.max(line + total, nodes[end - 1]!.line)))
  }
  // The call that shows one of them tells how the others are shown.
  const first = nodes.findIndex(({ children, total }) => children.length === 0 && total > 2)
  const call = first < 0 ? undefined : show(first + 1, first + 1)
  const used = [header, call ?? '', ...headings].reduce((sum, text) => sum + estimateTokens(text) + 1, 0)
  const weights = nodes.map(({ total }) => Math.sqrt(total) + 3)
  let left = Math.max(0, budgetTokens * USED_SHARE - used)
  let weight = weights.reduce((sum, own) => sum + own, 0)
  const texts: string[] = []
  // Small folders come to be shown whole.
  for (const index of [...nodes.keys()].toSorted((one, other) => weights[one]! - weights[other]!)) {
    const room = (left * weights[index]!) / weight
    weight -= weights[index]!
    const { text, tokens } = entriesOf(nodes[index]!, data, room, index === first ? call : undefined)
    left -= tokens
    texts[index] = [headings[index]!, text].filter((part) => part !== '').join(form.onLines ? '\n' : ' ')
  }
  return {
    items: texts.map((text, index) => {
      const item = textItem(index + 1, text, weights[index]!)
      item.lone = true
      return item
    }),
    lines: nodes.length,
    header,
    alwaysHeader: true,
    shares: [],
    lineShare: 1,
    endShare: 0,
    label: () => '',
    counted: (folders) => counted(folders, form.group),
    hidden: (start, end) => {
      const hidden = nodes.slice(start - 1, end).reduce((sum, { total }) => sum + total, 0)
      return counted(hidden, form.item)
    },
    show: call === undefined ? show : () => undefined,
  }
}

/** Arrange groups by their folders. Returns the node above all of them. */
function folderTree(groups: readonly ListedGroup[]): FolderNode {
  const nodeOf = (path: string, line: number): FolderNode => ({
    path,
    line,
    group: undefined,
    total: 0,
    groups: 0,
    children: [],
  })
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

/** The folders that are told apart: the fullest is opened as long as they are no more than `most`. */
function openFolders(root: FolderNode, most: number): FolderNode[] {
  let shown = [root]
  const closed = new Set<FolderNode>()
  for (;;) {
    const open = shown.filter((node) => node.children.length > 0 && !closed.has(node))
    const [fullest] = open.toSorted((one, other) => other.total - one.total)
    if (fullest === undefined) return shown
    const { group, children } = fullest
    const own =
      group === undefined || group.count === 0 ? [] : [{ ...fullest, total: group.count, groups: 1, children: [] }]
    if (shown.length > 1 && shown.length + own.length + children.length > most) closed.add(fullest)
    else shown = shown.flatMap((node) => (node === fullest ? [...own, ...children] : [node]))
  }
}

function headingOf({ path, line, total, groups, children }: FolderNode, { form, groups: all }: ListingData): string {
  if (all.length === 1 && path === '') return ''
  const name = cutMiddle(cleanLine(path))
  const isClosed = children.length > 0
  const mark = isClosed || name.endsWith(form.mark) ? '' : form.mark
  const count = isClosed ? `${formatCount(total)} in ${counted(groups, form.group)}` : formatCount(total)
  return `${path === '' ? '[top]' : `${line}| ${name}${mark}`} [${count}]`
}

/** The first entries of a folder that fit, the last one, and how many stand between. */
function entriesOf(
  node: FolderNode,
  { form }: ListingData,
  room: number,
  call: string | undefined,
): { text: string; tokens: number } {
  const { items, count, last } =
    node.children.length > 0 || node.group === undefined ? inside(node, form.joint, room) : node.group
  const between = form.onLines ? '\n' : ', '
  const costs = items.map((item) => estimateTokens(shortened(item)) + 1)
  const isWhole = items.length === count && costs.reduce((sum, cost) => sum + cost, 0) <= room
  const ending = shortened(last)
  const endTokens = isWhole ? 0 : estimateTokens(ending) + MARK_TOKENS + 1
  let tokens = endTokens
  const shown: string[] = []
  for (const [index, item] of items.entries()) {
    if (tokens + costs[index]! > room) break
    tokens += costs[index]!
    shown.push(shortened(item))
  }
  const hidden = count - shown.length
  if (shown.length === 0) return { text: '', tokens: 0 }
  if (hidden <= 1) return { text: [...shown, ...(hidden === 1 ? [ending] : [])].join(between), tokens }
  const more = `… ${formatCount(hidden - 1)} more`
  const mark = call === undefined && !form.onLines ? more : `[${more}${call === undefined ? '' : `: ${call}`}]`
  return { text: [...shown, mark, ...(ending === '' ? [] : [ending])].join(between), tokens }
}

/** Of each group below a folder the first entry, with the way to it, as far as there may be room. */
function inside(node: FolderNode, joint: string, room: number): Pick<ListedGroup, 'items' | 'count' | 'last'> {
  const items: string[] = []
  const open = [node]
  for (let next = open.pop(); next !== undefined && items.length < room; next = open.pop()) {
    const [first] = next.group?.items ?? []
    const way = (next.group?.name ?? '').slice(node.path.length).replace(/^\//, '')
    if (first !== undefined) items.push(way === '' ? first : `${way}${joint}${first}`)
    open.push(...next.children.toReversed())
  }
  return { items, count: node.total, last: '' }
}

function shortened(entry: string): string {
  const clean = cleanLine(entry)
  const cut = cutAtGrapheme(clean, LONGEST_ENTRY)
  return cut.length < clean.length ? `${cut}…` : clean
}

/** The start and the end of a long name: names that begin alike differ in their ends. */
function cutMiddle(name: string): string {
  if (name.length <= LONGEST_NAME) return name
  return `${cutAtGrapheme(name, LONGEST_NAME / 2)}…${cutAtGrapheme(name, LONGEST_NAME / 2, true)}`
}

function counted(count: number, noun: string): string {
  return countOf(count, noun, PLURALS[noun])
}
