import { cleanLine, countOf, cutAtGrapheme, cutWithMark, estimateTokens, formatCount } from '@spillway/text/internal'
import { findSought } from '../layout/wanted-words.ts'
import { foreignLine, textItem, type PreviewModel } from '../layout/preview-model.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { ListedGroup } from './listing-groups.ts'
import type { ListingData } from './listing-reader.ts'

/** Share of the budget that is used. The sum of the estimates of lines is a few tokens too low. */
const USED_SHARE = 0.97
/** Number of tokens in the budget for each separately shown folder. */
const FOLDER_TOKENS = 40
/** Smallest number of separately shown folders. */
const LEAST_FOLDERS = 8
/** Longest shown entry, and longest shown name of a folder, in UTF-16 units. */
const LONGEST_ENTRY = 160
const LONGEST_NAME = 320
const MARK_TOKENS = 5
/** Largest share of the budget for lines that are not part of the listing. */
const ODD_SHARE = 0.2
/** Largest depth of separately shown folders. */
const DEEPEST = 64
const PLURALS: Readonly<Record<string, string>> = { entry: 'entries', match: 'matches', branch: 'branches' }

interface FolderNode {
  readonly path: string
  line: number
  /** Entries that are directly in the folder, if any. */
  group: ListedGroup | undefined
  /** Number of entries, and of groups, in the folder and all folders below. */
  total: number
  groups: number
  readonly children: FolderNode[]
}

/** @param words - Words that the call searches for. Entries with rare words are shown in addition to the last entry. */
export function listingItems(
  data: ListingData,
  { budgetTokens, showLines }: PreviewOptions,
  words: readonly string[] = [],
): PreviewModel {
  const { form, groups, hasMore, items: count, lines } = data
  const entries = groups.flatMap(({ items }) => items)
  const sought = findSought(entries, words)
  const wanted = new Set(entries.filter((_, index) => sought !== undefined && sought.counts[index]! > 0))
  const nodes = openFolders(folderTree(groups), Math.max(LEAST_FOLDERS, budgetTokens / FOLDER_TOKENS))
  const headings = nodes.map((node) => headingOf(node, data))
  const parts = [countOf(lines, 'line')]
  if (groups.length > 1) parts.push(`${hasMore ? 'over ' : ''}${counted(groups.length, form.group)}`)
  if (count !== lines) parts.push(counted(count, form.item))
  if (data.odd > 0) parts.push(countOf(data.odd, 'other line'))
  const header = `${form.name}: ${parts.join(', ')}`
  const show = (start: number, end: number): string | undefined => {
    const { line, total } = nodes[start - 1]!
    return showLines?.(line, Math.min(lines, Math.max(line + total, nodes[end - 1]!.line)))
  }
  // The preview shows the call for one group, as an example for the others.
  const first = nodes.findIndex(({ children, total }) => children.length === 0 && total > 2)
  const call = first < 0 ? undefined : show(first + 1, first + 1)
  const head = oddLinesOf(data, budgetTokens * ODD_SHARE)
  const used = [header, call ?? '', ...head, ...headings].reduce((sum, text) => sum + estimateTokens(text) + 1, 0)
  const weights = nodes.map(({ total }) => Math.sqrt(total) + 3)
  let left = Math.max(0, budgetTokens * USED_SHARE - used)
  let weight = weights.reduce((sum, own) => sum + own, 0)
  const texts: string[] = []
  // Small folders are written first, so that they are shown whole.
  for (const index of [...nodes.keys()].toSorted((one, other) => weights[one]! - weights[other]!)) {
    const room = (left * weights[index]!) / weight
    weight -= weights[index]!
    const { text, tokens } = entriesOf(nodes[index]!, data, room, index === first ? call : undefined, wanted)
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
    head,
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

/** Return lines from both ends that are not part of the listing, with their line numbers, and the number of the others. */
function oddLinesOf({ odd, oddLines }: ListingData, room: number): string[] {
  const texts = oddLines.map(({ line, text }) => foreignLine(line, text))
  let left = room
  let first = 0
  let last = texts.length
  while (first < last) {
    const isFirst = first <= texts.length - last
    left -= estimateTokens(texts[isFirst ? first : last - 1]!) + 1
    if (left < 0) break
    if (isFirst) first++
    else last--
  }
  const hidden = odd - first - (texts.length - last)
  if (first === 0) return []
  if (hidden === 0) return texts
  return [...texts.slice(0, first), `[… ${countOf(hidden, 'other line')}]`, ...texts.slice(last)]
}

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

/** Replace the fullest folder by its subfolders, as long as at most `most` folders are shown. */
function openFolders(root: FolderNode, most: number): FolderNode[] {
  let shown = [root]
  const closed = new Set<FolderNode>()
  for (;;) {
    const open = shown.filter((node) => node.children.length > 0 && !closed.has(node))
    const [fullest] = open.toSorted((one, other) => other.total - one.total)
    if (fullest === undefined) return shown
    const { group, children } = fullest
    const own =
      group === undefined || group.count === 0
        ? []
        : [{ ...fullest, line: group.line, total: group.count, groups: 1, children: [] }]
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

/** Share of the space for entries that the call searches for. */
const WANTED_SHARE = 0.5

/** Return the first entries that fit, the number of hidden entries, searched entries, and the last entry. */
function entriesOf(
  node: FolderNode,
  { form }: ListingData,
  room: number,
  call: string | undefined,
  wanted: ReadonlySet<string>,
): { text: string; tokens: number } {
  const { items, count, last } =
    node.children.length > 0 || node.group === undefined ? inside(node, form.joint, room) : node.group
  const between = form.onLines ? '\n' : ', '
  const names = items.map(shortened)
  const costs = names.map((name) => estimateTokens(name) + 1)
  const isWhole = items.length === count && costs.reduce((sum, cost) => sum + cost, 0) <= room
  const ending = last === '' ? [] : [shortened(last)]
  let tokens = isWhole ? 0 : estimateTokens(ending.join('')) + MARK_TOKENS + 1
  // Entries that the call searches for get their tokens first.
  const paid = new Set<number>()
  let wantedTokens = 0
  for (const [index, item] of items.entries()) {
    if (isWhole || !wanted.has(item) || index === count - 1) continue
    wantedTokens += costs[index]!
    if (wantedTokens > room * WANTED_SHARE) break
    paid.add(index)
    tokens += costs[index]!
  }
  let end = 0
  for (; end < items.length; end++) {
    const cost = paid.has(end) ? 0 : costs[end]!
    if (tokens + cost > room) break
    tokens += cost
  }
  const after = [...paid].filter((index) => index >= end).map((index) => names[index]!)
  const shown = names.slice(0, end)
  if (shown.length + after.length === 0) return { text: '', tokens: 0 }
  if (end === count) return { text: shown.join(between), tokens }
  const hidden = count - end - after.length - ending.length
  const more = `… ${formatCount(hidden)} more`
  const mark = call === undefined && !form.onLines ? more : `[${more}${call === undefined ? '' : `: ${call}`}]`
  return { text: [...shown, ...(hidden > 0 ? [mark] : []), ...after, ...ending].join(between), tokens }
}

/** Return the first entry of each group in a folder, with its path, but no more entries than can fit. */
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

const shortened = (entry: string): string => cutWithMark(cleanLine(entry), LONGEST_ENTRY)

/** Cut the middle of a name. Names with the same start often differ at the end. */
function cutMiddle(name: string): string {
  if (name.length <= LONGEST_NAME) return name
  return `${cutAtGrapheme(name, LONGEST_NAME / 2)}…${cutAtGrapheme(name, LONGEST_NAME / 2, true)}`
}

function counted(count: number, noun: string): string {
  return countOf(count, noun, PLURALS[noun])
}
