import {
  cleanLine,
  countOf,
  cutAtGrapheme,
  estimateTokens,
  formatCount,
  longerThan,
  yieldWhenDue,
} from '@spillway/text/internal'
import { foreignLine } from '../layout/preview-model.ts'
import { fitBudget, fitBudgetInTurns, type Draft } from '../layout/fit-budget.ts'
import type { Caller, PreviewOptions } from '../previewer.ts'
import { rowsWriter } from './entry-rows.ts'
import type { JsonScan, ScannedString } from './json-scan.ts'
import type { Shape } from './shape.ts'
import { itemCount, keyCount, showKey, showKeys, showValues, skeletonNodes, type SkeletonNode } from './show-value.ts'
import { renderTextPreview } from '../log/render-text-preview.ts'
import type { Passage } from './passage-keeper.ts'
import { mostTokensOf, unusualWriter } from './unusual-records.ts'

/** Shares of the tokens that remain after the keys, for values, rows, and long strings. */
const SHARES = { values: 0.3, items: 0.4, strings: 0.3 }

export interface JsonContent {
  readonly scan: JsonScan
  /** The whole text if it is short. */
  readonly whole: string | undefined
  readonly prefix: string
  /** End of the text. */
  readonly end: string
}

/** Largest share of the tokens for unusual records. */
const UNUSUAL_SHARE = 0.5
/** Longest shown text before the JSON, in UTF-16 units. */
const PREFIX_UNITS = 320
/** Smallest number of tokens for the structure. */
const LEAST_TOKENS = 5
/** Largest share of the remaining tokens for names of map members. */
const NAMES_SHARE = 0.75

/** Write the structure, then rows of items, then long strings. */
export async function renderJsonPreview(content: JsonContent, options: PreviewOptions & Caller): Promise<string> {
  await readStrings(content.scan, options.caller)
  const drafts = jsonDrafts(content, options)
  return typeof drafts === 'string' ? drafts : await fitBudgetInTurns(drafts, options)
}

function renderNested(scan: JsonScan, options: PreviewOptions): string {
  const drafts = jsonDrafts({ scan, whole: undefined, prefix: '', end: '' }, options)
  return typeof drafts === 'string' ? drafts : fitBudget(drafts, options)
}

/** Read the strings that will be shown. The results are cached. */
async function readStrings(scan: JsonScan, caller: unknown): Promise<void> {
  for (const string of shownStrings(scan)) {
    const read = string.read()
    await yieldWhenDue(caller)
    if ('json' in read) await readStrings(read.json, caller)
  }
}

/** Return a function that writes drafts. If the whole text fits, return the text instead. */
function jsonDrafts(content: JsonContent, options: PreviewOptions): string | ((aim: number) => Draft) {
  const { scan, whole } = content
  if (whole !== undefined && !longerThan(whole, options.budgetTokens * 1.3, estimateTokens)) {
    const text = cleanText(whole)
    if (options.countTokens(text) <= options.budgetTokens) return text
  }
  const passage = scan.passages.find((one) => entryShape(one, scan) !== undefined)
  const tabled = passage && entryShape(passage, scan)
  const skeleton = skeletonOf(scan.root, tabled)
  // Rows of simple values show few names, so the structure must name them.
  const namedInRows = passage?.isObject && tabled !== undefined && tabled.objects > 0 ? tabled : undefined
  const rows = passage && tabled && rowsWriter(passage, tabled, options)
  const strings = shownStringsOf(scan, options)
  const head = header(content)
  const mostUnusual = mostTokensOf(scan)
  const writeUnusual = unusualWriter(scan)
  const headTokens = estimateTokens(head)
  return (aim) => {
    if (aim < headTokens + LEAST_TOKENS) return { text: head, complete: false }
    const all = {
      ...SHARES,
      items: rows === undefined ? 0 : SHARES.items,
      strings: strings.least === 0 ? 0 : SHARES.strings,
    }
    const sum = all.values + all.items + all.strings
    const unusual = writeUnusual(Math.min(aim * UNUSUAL_SHARE, mostUnusual))
    const kept = aim * strings.least + estimateTokens(unusual)
    const room = skeleton.chooseKeys(aim - headTokens - kept) + kept - estimateTokens(unusual)
    let left = room
    const part = (share: number, take: (tokens: number) => number): void => {
      const given = Math.min(left, room * share)
      if (given <= 0) return
      left -= given - take(given)
    }
    part(NAMES_SHARE, (tokens) => skeleton.chooseNames(tokens, namedInRows))
    part(all.values / sum, (tokens) => skeleton.chooseValues(tokens, 0, 2))
    let lines = ''
    let table = ''
    part(all.items === 0 ? 0 : all.items / (all.items + all.strings), (tokens) => {
      table = rows!(tokens)
      return tokens - estimateTokens(table)
    })
    part(all.strings === 0 ? 0 : 1, (tokens) => {
      lines = strings.write(tokens)
      return tokens - estimateTokens(lines)
    })
    left = skeleton.chooseNames(left)
    skeleton.chooseValues(left, 0, 4)
    return { text: `${head}\n${skeleton.write()}${unusual}${table}${lines}`, complete: false }
  }
}

/** Return the shape of the entries if they are rows of one table. */
function entryShape({ keys, isObject, isTop }: Passage, { root }: JsonScan): Shape | undefined {
  let shape: Shape | undefined = root
  for (const key of keys) shape = key === '' ? shape?.item : (shape?.fields?.get(key) ?? shape?.others ?? shape?.item)
  const entry = isTop ? root : isObject ? shape?.others : shape?.item
  return entry !== undefined && (isObject || entry.objects > 0 || entry.isRow) ? entry : undefined
}

function header(content: JsonContent): string {
  const { scan, prefix } = content
  const { values, lines, broken, abandoned, strays, oneLine, length } = scan
  // The header mentions single quotes, because JSON paths only work with double quotes.
  const quotes = scan.hasSingleQuotes ? ' in single quotes' : ''
  const parts =
    values > 1
      ? [
          `${formatCount(values)} JSON records${quotes}`,
          ...(oneLine && lines === values ? [] : [countOf(lines, 'line')]),
        ]
      : [`JSON${quotes}, ${countOf(lines, 'line')}`]
  if (lines === 1) parts.push(`${formatCount(length)} characters`)
  if (abandoned > 0) parts.push(`${formatCount(abandoned)} broken`)
  if (strays > 0) parts.push(`${countOf(strays, 'other line')}`)
  if (scan.deeper > 0) parts.push(`${formatCount(scan.deeper)} deeper values`)
  if (broken?.atEnd) parts.push('cut off at the end')
  else if (broken !== undefined) {
    const place = lines > 1 ? `line ${broken.line}` : `character ${formatCount(broken.offset + 1)}`
    parts.push(`no JSON from ${place} on`)
  }
  const before = cleanText(prefix).trim()
  const shown = before.length > PREFIX_UNITS ? `${cutAtGrapheme(before, PREFIX_UNITS)}[…]` : before
  return [`[${parts.join(', ')}]`, ...(shown === '' ? [] : [shown]), ...strayLines(content)].join('\n')
}

/** Return lines that are not JSON, with line numbers, from the text that is in memory. */
function strayLines({ scan, whole, end }: JsonContent): string[] {
  const lines = scan.strays === 0 ? [] : (whole ?? end).replace(/\n$/, '').split('\n')
  const first = whole === undefined ? scan.lines - lines.length + 1 : 1
  return scan.strayLines.flatMap((line) => {
    // The first line of the kept end may be cut.
    const text = line > first || whole !== undefined ? cleanLine(lines[line - first] ?? '') : ''
    return text === '' ? [] : [foreignLine(line, text)]
  })
}

function cleanText(text: string): string {
  return text.split('\n').map(cleanLine).join('\n').toWellFormed()
}

/** Number of tokens of a key that count as much as one level of depth. */
const LEVEL_TOKENS = 8
/** Largest depth of a key that is shown together with its value. Values of deeper keys would hide other keys. */
const VALUE_DEPTH = 2
/** Number of levels of depth that a key counts as deeper if its only value is not shown. */
const HIDDEN_VALUE_LEVELS = 0.5
/** Number of tokens in the mark for hidden keys. */
const HIDDEN_TOKENS = 5
/** Longest object or array that is written on one line, in UTF-16 units. */
const LINE_UNITS = 120
/** Lengths of shown values in UTF-16 units, in the order in which they are tried. */
const VALUE_CAPS: readonly number[] = [26, 64, 160, 520]

function skeletonOf(root: Shape, tabled: Shape | undefined) {
  let valueTexts: (string | undefined)[] = []
  let left = 0
  /** Nodes whose values are also shown in rows. */
  const tabledNodes = new Set<SkeletonNode>()
  const nodes = skeletonNodes(root)
  for (const node of nodes) {
    const { parent } = node
    if (parent !== undefined && (parent.shape === tabled || (tabledNodes.has(parent) && parent.shape.arrays === 0)))
      tabledNodes.add(node)
  }
  /** Short values that occur once. They are shown together with their keys. */
  const single = nodes.map((node) => (isSingle(node) && node.level <= VALUE_DEPTH ? shortValue(node.shape) : ''))
  const costs = nodes.map(
    ({ tokens }, index) => tokens + (single[index] === '' ? 0 : estimateTokens(single[index]!) + 1),
  )
  // Keys that are new have the most information, then keys near the root, then short keys.
  const price = (node: SkeletonNode): number =>
    node.level + node.tokens / LEVEL_TOKENS + (isSingle(node) && single[node.index] === '' ? HIDDEN_VALUE_LEVELS : 0)
  const cheapest = nodes.toSorted((one, other) => price(one) - price(other) || one.index - other.index)
  const order = [...cheapest.filter(({ novel }) => novel), ...cheapest.filter(({ novel }) => !novel)]
  const shownNodes = new Uint8Array(nodes.length)
  const nameCounts = new Uint32Array(nodes.length)
  const caps = new Uint8Array(nodes.length)

  /** Choose the keys to show. Returns the number of tokens left. */
  function chooseKeys(tokens: number): number {
    shownNodes.fill(0)
    nameCounts.fill(0)
    caps.fill(0)
    valueTexts = []
    left = tokens
    take(nodes[0]!)
    for (const node of order) {
      if (shownNodes[node.index] === 0) take(node)
      if (left < 2) break
    }
    return left
  }

  function take(node: SkeletonNode): void {
    let cost = 0
    for (let at: SkeletonNode | undefined = node; at !== undefined && shownNodes[at.index] === 0; at = at.parent)
      cost += costs[at.index]! + (at.kids.length > 1 ? HIDDEN_TOKENS : 0)
    if (cost > left && node.index > 0) return
    left -= cost
    for (let at: SkeletonNode | undefined = node; at !== undefined && shownNodes[at.index] === 0; at = at.parent)
      shownNodes[at.index] = 1
    if (single[node.index] !== '') valueTexts[node.index] = single[node.index]
  }

  /**
   * Choose names of map members. Returns the number of tokens left.
   *
   * @param tabled - Shape of the members whose names are in rows.
   */
  function chooseNames(tokens: number, tabled?: Shape): number {
    let left = tokens
    for (const node of nodes) {
      if (node.names.length === 0 || shownNodes[node.index] === 0) continue
      if (tabled !== undefined && node.shape.others === tabled) continue
      for (const name of node.names.slice(nameCounts[node.index])) {
        const cost = estimateTokens(showKey(name)) + 1
        if (cost > left) break
        left -= cost
        nameCounts[node.index]!++
      }
    }
    return left
  }

  /** Choose values, with the lengths from index `from` to `to` of `VALUE_CAPS`. Returns the number of tokens left. */
  function chooseValues(tokens: number, from: number, to: number): number {
    let left = tokens
    for (let pass = from + 1; pass <= to; pass++) {
      for (const node of nodes) {
        const { index, shape } = node
        if (shownNodes[index] === 0 || shape.scalars === undefined) continue
        if (valueTexts[index] !== undefined && caps[index] === 0) continue
        const { text, cut } = showValues(shape.scalars, VALUE_CAPS[pass - 1]!, node.label === '')
        if (pass <= 2 && tabledNodes.has(node) && shape.scalars.more && shape.scalars.numbers === 0) continue
        // In the first passes, only values that are not cut are shown.
        if (cut && pass <= 2) continue
        const before = valueTexts[index] === undefined ? 0 : estimateTokens(valueTexts[index])
        const cost = estimateTokens(text) + (before === 0 ? 1 : 0) - before
        if (cost > left) continue
        left -= cost
        valueTexts[index] = text
        caps[index] = cut ? pass : 0
      }
    }
    return left
  }

  function write(): string {
    return print(nodes[0]!, 0)
  }

  function print(node: SkeletonNode, indent: number): string {
    const { shape, index } = node
    const parts: string[] = []
    if (shape.objects > 0 || shape.isRow) parts.push(printMembers(node, indent))
    if (shape.arrays > 0 && !shape.isRow) parts.push(printArray(node, indent))
    const values = valueTexts[index]
    if (values !== undefined) parts.push(values)
    else if (shape.scalars !== undefined && parts.length > 0) parts.push(shape.scalars.strings > 0 ? '"…"' : '…')
    return parts.join('|')
  }

  function printArray(node: SkeletonNode, indent: number): string {
    const item = node.kids.find(({ label }) => label === '')
    const count = itemCount(node.shape)
    if (item === undefined || shownNodes[item.index] === 0) return `[${count}]`
    const shown = print(item, indent)
    return shown === '' ? `[${count}]` : `[${count} ${shown}]`
  }

  /** Write an object, or a row whose columns have names or positions. */
  function printMembers(node: SkeletonNode, indent: number): string {
    const [open, close] = node.shape.isRow ? [`[${itemCount(node.shape)} `, ']'] : ['{', '}']
    const keys = node.kids.filter(({ label }) => label !== '')
    const shown = keys.filter(({ index }) => shownNodes[index] === 1)
    const hidden = keys.length - shown.length
    const parts: { text: string; long: boolean }[] = []
    const names = node.names.slice(0, nameCounts[node.index])
    if (node.names.length > 0) {
      const rest = node.shape.mostKeys > names.length + keys.length - 1 ? ', …' : ''
      parts.push({
        text: `${keyCount(node.shape)}${names.length > 0 ? ' ' : ''}${names.map(showKey).join(', ')}${rest}`,
        long: false,
      })
    }
    for (const kid of shown) {
      const value = print(kid, indent + 1)
      const text = value === '' ? kid.label : `${kid.label}: ${value}`
      parts.push({ text, long: kid.kids.length > 0 && text.length > LINE_UNITS })
    }
    if (hidden > 0) {
      const text = shown.length > 0 ? `… ${formatCount(hidden)} more` : countOf(hidden, 'key')
      parts.push({ text, long: false })
    }
    if (!parts.some(({ long }) => long)) return `${open}${parts.map(({ text }) => text).join(', ')}${close}`
    const pad = `\n${' '.repeat(Math.min(indent + 1, 12))}`
    let text = open
    let newLine = true
    for (const [index, part] of parts.entries()) {
      text += newLine || part.long ? pad : ' '
      text += part.text + (index < parts.length - 1 ? ',' : '')
      newLine = part.long
    }
    return `${text}${close}`
  }

  return { chooseKeys, chooseNames, chooseValues, write }
}

const isSingle = ({ shape, kids }: SkeletonNode): boolean => kids.length === 0 && shape.seen === 1

function shortValue({ scalars }: Shape): string {
  if (scalars === undefined) return ''
  const { text, cut } = showValues(scalars, VALUE_CAPS[0]!, false)
  return cut ? '' : text
}

/** Smallest share of the text that strings must have to be shown separately. */
const LEAST_SHARE = 0.2
/** Share of the tokens that is reserved for long strings if they are the whole text. */
const KEPT_SHARE = 0.6
/** Smallest length of a shown string, as a share of the length of the longest string. */
const LEAST_OF_LONGEST = 0.125
const LEAST_STRING_TOKENS = 16

const shareOfStrings = ({ strings, length: all }: JsonScan): number =>
  strings.reduce((sum, { length }) => sum + length, 0) / all

function shownStrings(scan: JsonScan): readonly ScannedString[] {
  const longest = scan.strings[0]?.length ?? 0
  if (shareOfStrings(scan) < LEAST_SHARE) return []
  return scan.strings.filter(({ length }) => length >= longest * LEAST_OF_LONGEST)
}

function shownStringsOf(scan: JsonScan, options: PreviewOptions) {
  const strings = shownStrings(scan)
  /** Smallest share of the budget for strings. 0 if there are no strings. */
  const least = strings.length === 0 ? 0 : shareOfStrings(scan) * KEPT_SHARE

  /** Write the strings, each after a newline. Longer strings get more tokens. */
  function write(tokens: number): string {
    let left = tokens
    let rest = strings.reduce((sum, { length }) => sum + length, 0)
    let text = ''
    for (const string of strings) {
      const read = string.read()
      const lines = 'json' in read ? '' : `, ${countOf(read.lines.lines, 'line')}`
      const head = `\n[${showKeys(string.path, scan.root) || 'text'}${lines}, lines numbered within it:]\n`
      const room = Math.floor((left * string.length) / rest - estimateTokens(head))
      rest -= string.length
      if (room < LEAST_STRING_TOKENS) continue
      const inner: PreviewOptions = { budgetTokens: room, countTokens: estimateTokens, isError: options.isError }
      const shown = 'json' in read ? renderNested(read.json, inner) : renderTextPreview(read.lines, inner)
      if (shown === '') continue
      // The heading already has the number of lines. Line numbers in a string look different from line numbers of the
      // text.
      const body = shown.replace(/^\[[\d,]+ lines?\]\n/, '').replace(/^(\d+)\| /gm, '$1: ')
      left -= estimateTokens(head) + estimateTokens(body)
      text += head + body
    }
    return text
  }

  return { least, write }
}
