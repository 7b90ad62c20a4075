import { cleanLine, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import type { HiddenName, Item, PreviewModel } from './preview-model.ts'
import { fitBudgetInTurns, type Draft } from './fit-budget.ts'
import { callTokensOf, gapMarks } from './gap-marks.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseItems, follows, type ItemRow } from './choose-items.ts'
import { bestItems } from './item-store.ts'

/** Estimated tokens of the line number after a gap. */
const NUMBER_TOKENS = 3
/** Number of items up to which all items are shown, shortened if necessary. */
const FEW_ITEMS = 4
/** Smallest number of tokens for items below the head. */
const LEAST_ROOM = 8
/** Length of the smallest shown part of a line, in UTF-16 units. */
const LEAST_CAP = 48
/** Number of UTF-16 units to sample for the average length of a token. */
const SAMPLE_UNITS = 8_192
/** Smallest number of items to choose from. */
const LEAST_ITEMS = 600

/** Shows the items with the most value for their tokens, in order, with marks for gaps. */
export async function writePreview(preview: PreviewModel, options: PreviewOptions): Promise<string> {
  if (!(options.budgetTokens > 0) || (preview.items.length === 0 && preview.head === undefined)) return ''
  // An item with its line end has at least two tokens, so more items cannot fit.
  const items = bestItems(preview.items, LEAST_ITEMS + options.budgetTokens * 0.6)
  return await fitBudgetInTurns(previewDrafts({ ...preview, items }, options), options)
}

export function previewDrafts(preview: PreviewModel, options: PreviewOptions): (aim: number) => Draft {
  let currentCap = 0
  let shown: (string | undefined)[] = []
  let costs: (number | undefined)[] = []
  const { items, lines, from = 1, header, head = [], alwaysHeader = false } = preview
  const indices = new Map(items.map((item, index) => [item, index]))
  const parents = new Int32Array(items.map(({ parent }) => (parent === undefined ? -1 : (indices.get(parent) ?? -1))))
  const row = { items, from, lines, blankEnd: preview.counted === undefined, parents }
  const gapTokens = estimateTokens(`\n${gapMarks({})(101, 223)}\n`) + 3
  /** Number of tokens in the header and in the call of the first gap. */
  const fixedTokens = estimateTokens([`[${preview.header}]`, ...head].join('\n')) + callTokensOf(options)
  const unitsPerToken = measureUnits(items)
  const lineCap = Math.max(LEAST_CAP, Math.ceil(options.budgetTokens * preview.lineShare * unitsPerToken))

  function write(aim: number): Draft {
    if (head.length > 0 && aim - fixedTokens < LEAST_ROOM) return { text: startOf(header, head, aim), complete: false }
    setCap(items.length <= FEW_ITEMS ? LEAST_CAP : lineCap)
    if (allCost(aim) <= aim) return writeAll(aim)
    const room = aim - fixedTokens
    const names = preview.names?.choose(room) ?? []
    const nameTokens = new Map(names.map(({ line, tokens }) => [line, tokens]))
    const hidden = new Float64Array(items.map(({ start }) => nameTokens.get(start) ?? 0))
    const named = names.reduce((sum, { tokens }) => sum + tokens, 0)
    const chosen = chooseItems(row, {
      // Names of lines without an item are always shown.
      tokens: room - named + hidden.reduce((sum, tokens) => sum + tokens, 0),
      gapTokens,
      numberTokens: NUMBER_TOKENS,
      shares: preview.shares,
      shown: new Float64Array(items.map((_, index) => costOf(index))),
      hidden,
    })
    return { text: assemble(chosen, false, names), complete: false }
  }

  function writeAll(aim: number): Draft {
    let low = currentCap
    const longest = items.reduce((most, { text, tail }) => Math.max(most, text.length + tail.length), 0)
    let high = Math.max(low, Math.min(longest, aim * 8))
    setCap(high)
    if (allCost(aim) <= aim) low = high
    while (high - low > 8) {
      const middle = Math.floor((low + high) / 2)
      setCap(middle)
      if (allCost(aim) <= aim) low = middle
      else high = middle
    }
    setCap(low)
    const complete = items.every(({ text, tail, hidden }) => hidden === 0 && tail === '' && text.length <= low)
    return { text: assemble(new Uint8Array(items.length).fill(1), complete, []), complete }
  }

  function setCap(cap: number): void {
    if (cap === currentCap) return
    currentCap = cap
    shown = []
    costs = []
  }

  function show(index: number): string {
    return (shown[index] ??= showItem(preview.items[index]!, currentCap, preview.endShare))
  }

  function costOf(index: number): number {
    return (costs[index] ??= estimateTokens(show(index)) + 1 + (preview.items[index]!.numbered ? NUMBER_TOKENS : 0))
  }

  /** Returns the cost of all items. Counting stops at `limit`. */
  function allCost(limit: number): number {
    let cost = fixedTokens
    for (let index = 0; index < row.items.length && cost <= limit; index++) {
      cost += costOf(index) + (follows(row, index) ? 0 : gapTokens)
    }
    return cost
  }

  function assemble(chosen: Uint8Array, isComplete: boolean, names: readonly HiddenName[]): string {
    const isBare = isComplete && !alwaysHeader && items.every(({ start, end }) => start === end)
    const shown: number[] = []
    for (let index = 0; index < items.length; index++) if (chosen[index] === 1) shown.push(index)
    const text = itemsText(preview, row, options, isBare, names)
    for (let at = 0; at < shown.length;) {
      const listed = text.listed(shown, at)
      if (listed > 1) text.list(shown.slice(at, at + listed), shown[at + listed], (index) => show(index))
      else text.write(shown[at]!, show(shown[at]!))
      at += Math.max(1, listed)
    }
    text.end()
    return [...(text.isWhole && isBare ? [] : [`[${header}]`]), ...head, ...text.parts].join('\n')
  }

  return write
}

function startOf(header: string, head: readonly string[], aim: number): string {
  let left = aim - estimateTokens(`[${header}]`)
  const lines = head.flatMap((text) => text.split('\n'))
  const end = lines.findIndex((line) => (left -= estimateTokens(line) + 1) < 0)
  return [`[${header}]`, ...(end < 0 ? lines : lines.slice(0, end))].join('\n')
}

function measureUnits(items: readonly Item[]): number {
  const step = Math.max(1, Math.floor(items.length / 64))
  let sample = ''
  for (let index = 0; index < items.length && sample.length < SAMPLE_UNITS; index += step)
    sample += `${items[index]!.text.slice(0, 256)}\n`
  return Math.max(0.5, sample.length / Math.max(1, estimateTokens(sample)))
}

/** Number of UTF-16 units before a cut to search for the end of a sentence or word. */
const LOOK_BACK = 160

/**
 * Show about `cap` UTF-16 units of an item and the number of hidden units. The share `endShare` is from the end of the
 * item. If possible, the text is cut after a sentence or a word.
 */
export function showItem(item: Item, cap: number, endShare: number): string {
  const note = item.note === '' ? '' : ` [${item.note}]`
  const text = cleanLine(item.text)
  if (item.hidden === 0 && item.tail === '' && text.length <= cap) return text + note
  const tail = cleanLine(item.tail)
  const length = text.length + item.hidden + tail.length
  const endUnits = Math.floor(cap * endShare)
  const end = cutAtGrapheme(tail === '' ? text : tail, endUnits, true)
  const start = atBoundary(cutAtGrapheme(text, Math.max(1, cap - endUnits)))
  const left = length - start.length - end.length
  return left <= 0
    ? text + note
    : `${start} [… ${formatCount(left)} more characters${end === '' ? '' : ' …'}]${end}${note}`
}

function atBoundary(text: string): string {
  const from = Math.max(text.length >> 1, text.length - LOOK_BACK)
  let sentence = -1
  let word = -1
  for (let at = text.length - 1; at > from && sentence < 0; at--) {
    const code = text.charCodeAt(at)
    // 。！？ end sentences without a space after them.
    if (code === 0x3002 || code === 0xff01 || code === 0xff1f) sentence = at + 1
    else if (code === 32) {
      if (word < 0) word = at
      const before = text.charCodeAt(at - 1)
      if (before === 46 || before === 33 || before === 63) sentence = at
    }
  }
  return sentence > 0 ? text.slice(0, sentence) : word > 0 ? text.slice(0, word) : text
}

function itemsText(
  preview: PreviewModel,
  row: ItemRow,
  options: Pick<PreviewOptions, 'showLines'>,
  isComplete: boolean,
  names: readonly HiddenName[],
) {
  const { items, lines } = row
  const parts: string[] = []
  let last = -1
  let isWhole = true
  /** Number of the last line that was shown or marked, and index of the last item. */
  let line: number = row.from - 1
  const sortedNames = names.toSorted((one, other) => one.line - other.line)
  const gaps = gapMarks({ showLines: preview.show ?? options.showLines }, preview.counted)

  /** Returns the number of consecutive separate items, beginning with `shown[at]`, that share one gap mark. */
  function listed(shown: readonly number[], at: number): number {
    let count = 0
    let hasGap = false
    for (let index = shown[at]; index !== undefined && items[index]!.lone; index = shown[at + count]) {
      const next = shown[at + count + 1]
      // An item stays with the lines that follow and belong to the item.
      if (next !== undefined && joins(index, next) && !items[next]!.lone) break
      if (count > 0 && !joins(shown[at + count - 1]!, index)) hasGap = true
      count++
    }
    return hasGap ? count : 0
  }

  /** Writes items with one mark, which counts all gaps from before the first item to `next`. */
  function list(indices: readonly number[], next: number | undefined, show: (index: number) => string): void {
    const end = next === undefined ? lines : items[next]!.start - 1 - items[next]!.blanks
    const start = line + 1
    isWhole = false
    const shown = new Set(indices.map((index) => items[index]!.start))
    const count = indices.reduce((sum, index) => sum + items[index]!.end - items[index]!.start + 1, 0)
    parts.push(gaps(start, end, `all but these ${formatCount(count)}`), ...named(start, end, shown))
    let previous: Item | undefined
    for (const index of indices) {
      const item = items[index]!
      const isNext = previous !== undefined && previous.start === item.start - 1 && !item.numbered
      parts.push(isNext ? show(index) : label(item) + show(index))
      previous = item
    }
    line = end
    last = -1
  }

  function write(index: number, text: string): void {
    const item = items[index]!
    const isFirst = line < row.from
    const joins = last === index - 1 && follows(row, index)
    const isNext = joins || item.start - item.blanks === line + 1
    if (isNext && !isFirst) for (let blank = item.blanks; blank > 0; blank--) parts.push('')
    if (!isNext) mark(item.start - 1)
    const isNumbered = (item.numbered && !isComplete) || folded(index - 1) || !joins || (isFirst && item.start > 1)
    parts.push(isNumbered ? label(item) + text : text)
    if (item.end > item.start) isWhole = false
    line = item.end
    last = index
  }

  function end(): void {
    if (last !== items.length - 1 || !follows(row, items.length)) mark(lines)
  }

  function mark(end: number): void {
    if (end <= line) return
    isWhole = false
    const start = line + 1
    parts.push(gaps(start, end, preview.hidden?.(start, end)), ...named(start, end))
  }

  function named(start: number, end: number, shown?: ReadonlySet<number>): string[] {
    const names = sortedNames.filter(({ line }) => line >= start && line <= end && shown?.has(line) !== true)
    return names.length === 0 ? [] : preview.names!.write(names)
  }

  function label({ start }: Item): string {
    return preview.label === undefined ? `${start}| ` : preview.label(start)
  }

  function joins(index: number, next: number): boolean {
    return next === index + 1 && follows(row, next)
  }

  function folded(index: number): boolean {
    const item = items[index]
    return item !== undefined && item.end > item.start
  }

  return {
    get isWhole() {
      return isWhole
    },
    parts,
    listed,
    list,
    write,
    end,
  }
}
