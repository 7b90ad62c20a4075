import { countOf, cutAtGrapheme, estimateTokens, formatCount } from '@spillway/text/internal'
import { callTokensOf, showGap } from '../layout/gap-marks.ts'
import { findSought } from '../layout/wanted-words.ts'
import { fitBudgetInTurns, type Draft } from '../layout/fit-budget.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { PageBlock } from './page.ts'

export interface ReadPage {
  readonly title: string
  /** Blocks to show, in order. */
  readonly main: readonly PageBlock[]
  /** Other blocks, which are shown if the budget allows. */
  readonly rest: readonly PageBlock[]
  readonly lines: number
  /** Whether the end of a very large page was not read. */
  readonly isPart: boolean
  /** Words that the call searches for. */
  readonly words?: readonly string[]
}

/** Share of the tokens for hidden headings, if any part of the page is hidden. */
const OUTLINE_SHARE = 0.1
/** Share of the tokens for hidden blocks with words that the call searches for. */
const SOUGHT_SHARE = 0.4
/** Number of tokens in the line number of a block. */
const PLACE_TOKENS = 5
/** Number of tokens in a gap mark without its call. */
const GAP_TOKENS = 16
/** Matches words that the source probably contains unchanged. */
const FIRST_WORDS = /[\p{L}\p{N}]+(?: [\p{L}\p{N}]+){0,3}/u
/** Number of hidden blocks to search for such words. */
const MAX_SEARCHED = 50
/** Smallest number of tokens for the start of a block. */
const LEAST_TOKENS = 12

export async function writePage(page: ReadPage, options: PreviewOptions): Promise<string> {
  return await fitBudgetInTurns(pageWriter(page, options), options)
}

function pageWriter(page: ReadPage, options: PreviewOptions) {
  const texts: string[] = []
  const costs: number[] = []
  const allUnits = unitsOf(page.main)
  const counts = soughtWords(page)

  /** Write a draft that should have about `aim` tokens, as estimated. */
  function write(aim: number): Draft {
    const { main } = page
    const header = headerOf(aim)
    let left = aim - estimateTokens(header) - 1
    let end = fitting(left)
    if (end === main.length) {
      for (let index = 0; index < end; index++) left -= cost(index)
      const around = aroundOf(left)
      return { text: [header, ...joined(end), around.text].join(''), complete: around.complete }
    }
    left -= GAP_TOKENS + callTokensOf(options)
    // The more blocks are hidden, the more useful their headings are.
    const share = Math.min(0.5, OUTLINE_SHARE * (2 - end / main.length))
    const reserved = headingTokens(end, left * share)
    left -= reserved
    const sought = counts.slice(end).some((count) => count > 0) ? left * SOUGHT_SHARE : 0
    left -= sought
    end = fitting(left)
    for (let index = 0; index < end; index++) left -= cost(index)
    const begun = left >= LEAST_TOKENS ? begin(main[end]!, left) : ''
    const found = soughtBlocks(begun === '' ? end : end + 1, sought)
    const shown = unitsOf(main.slice(0, end)) + begun.length + unitsOf(found)
    const parts = [header, ...joined(end)]
    if (begun !== '') parts.push(separator(end), markdownOf({ ...main[end]!, text: `${begun}…` }))
    parts.push('\n', gap(end, begun, shown))
    for (const line of outline(begun === '' ? end : end + 1, reserved)) parts.push('\n', line)
    for (const block of found) parts.push('\n', placed(block, markdownOf(block)))
    return { text: parts.join(''), complete: false }
  }

  /** Return hidden blocks with words of the call. If such a block is a heading, the text below it is included. */
  function soughtBlocks(from: number, tokens: number): PageBlock[] {
    const { main } = page
    const found = new Set<number>()
    let left = tokens
    const places = [...main.keys()].filter((index) => index >= from && counts[index]! > 0)
    for (const place of places.toSorted((one, other) => counts[other]! - counts[one]! || one - other)) {
      const { kind, level } = main[place]!
      const next = main.findIndex((block, index) => index > place && block.kind === 'heading' && block.level <= level)
      const end = kind !== 'heading' ? place + 1 : next < 0 ? main.length : next
      for (let index = place; index < end; index++) {
        const price = found.has(index) ? 0 : cost(index) + PLACE_TOKENS
        if (price > left) break
        left -= price
        found.add(index)
      }
    }
    return main.filter((_, index) => found.has(index))
  }

  /** Shows the text outside the main content, from its start. */
  function aroundOf(tokens: number): Draft {
    const { rest } = page
    const units = unitsOf(rest)
    const mark = `\n\n[outside the main text: ${formatCount(units)} characters]`
    let left = tokens - estimateTokens(mark) - GAP_TOKENS
    const parts: string[] = []
    for (const [index, block] of rest.entries()) {
      const text = markdownOf(block)
      left -= estimateTokens(text) + 1
      if (left < 0) {
        const hidden = units - unitsOf(rest.slice(0, index))
        return {
          text: index === 0 ? '' : `${mark}${parts.join('')}\n[… ${formatCount(hidden)} more characters]`,
          complete: false,
        }
      }
      parts.push(index === 0 ? '\n' : markdownGap(rest[index - 1]!, block), text)
    }
    return { text: rest.length === 0 ? '' : mark + parts.join(''), complete: true }
  }

  function headerOf(aim: number): string {
    const { title, lines, isPart, main } = page
    const size = `${isPart ? 'over ' : ''}${formatCount(allUnits)} characters of main text, ${countOf(lines, 'line')}`
    const isShown = main.slice(0, 4).some(({ kind, text }) => kind === 'heading' && text === title)
    const named = title === '' || isShown ? '' : ` "${cutAtGrapheme(title, Math.max(40, Math.min(300, aim)))}"`
    for (const header of [`[HTML${named}: ${size}]`, `[HTML: ${size}]`]) {
      if (estimateTokens(header) <= aim * 0.6) return header
    }
    return '[HTML]'
  }

  /** Return the number of blocks that fit. */
  function fitting(tokens: number): number {
    let left = tokens
    const end = page.main.findIndex((_, index) => (left -= cost(index)) < 0)
    return end < 0 ? page.main.length : end
  }

  function text(index: number): string {
    return (texts[index] ??= markdownOf(page.main[index]!))
  }

  function cost(index: number): number {
    return (costs[index] ??= estimateTokens(text(index)) + 1)
  }

  function joined(end: number): string[] {
    return page.main.slice(0, end).flatMap((_, index) => [separator(index), text(index)])
  }

  function separator(index: number): string {
    return index === 0 ? '\n' : markdownGap(page.main[index - 1]!, page.main[index]!)
  }

  /** Returns the start of a block, cut after a word. */
  function begin({ text }: PageBlock, tokens: number): string {
    let low = 0
    let high = Math.min(text.length - 1, Math.ceil(tokens * 8))
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (estimateTokens(text.slice(0, middle)) <= tokens - 2) low = middle
      else high = middle - 1
    }
    const cut = cutAtGrapheme(text, low)
    const word = cut.lastIndexOf(' ')
    return (word > cut.length * 0.6 ? cut.slice(0, word) : cut).trimEnd()
  }

  function gap(from: number, begun: string, shown: number): string {
    const { main } = page
    const units = allUnits - shown
    const beginning = hiddenWords(from, begun)
    const call = showGap(options, { start: main[from]!.line, end: main.at(-1)!.line, units, beginning })
    return `[… ${formatCount(units)} more characters${call === undefined ? '' : `: ${call}`}]`
  }

  /** Returns words of hidden text. Words that are not in the shown text are preferred. */
  function hiddenWords(from: number, begun: string): string {
    const { main } = page
    const shown = [...main.slice(0, from).map(({ text }) => text), begun].join('\n')
    const hidden = main
      .slice(from, from + MAX_SEARCHED)
      .map(({ text }, index) => text.slice(index === 0 ? begun.length : 0))
    const words = hidden.map((text) => FIRST_WORDS.exec(text)?.[0] ?? '')
    return words.find((text) => text !== '' && !shown.includes(text)) ?? words[0] ?? ''
  }

  function headingsAfter(from: number): PageBlock[] {
    return page.main.slice(from).filter(({ kind }) => kind === 'heading')
  }

  function headingTokens(from: number, most: number): number {
    let tokens = 0
    for (const heading of headingsAfter(from)) {
      tokens += estimateTokens(headingOf(heading)) + 1
      if (tokens >= most) return most
    }
    return tokens
  }

  function headingOf(block: PageBlock): string {
    return placed(block, `${'#'.repeat(block.level)} ${cutAtGrapheme(block.text, 80)}`)
  }

  /** If the page is a single line, the line number has no information. */
  function placed({ line }: PageBlock, text: string): string {
    return page.lines > 1 ? `[line ${line}] ${text}` : text
  }

  /** Returns hidden headings. If not all fit, the highest levels are shown. */
  function outline(from: number, tokens: number): string[] {
    const headings = headingsAfter(from)
    for (let level = 6; level > 0; level--) {
      const shown = headings.filter((heading) => heading.level <= level)
      const lines: string[] = []
      let left = tokens
      for (const heading of shown) {
        const line = headingOf(heading)
        if ((left -= estimateTokens(line) + 1) < 0) break
        lines.push(line)
      }
      if (lines.length === shown.length) return lines
      if (headings.some((heading) => heading.level < level)) continue
      const end = lines.length
      return end < 2 ? [] : [...lines.slice(0, end - 1), `[… ${countOf(shown.length - end + 1, 'more heading')}]`]
    }
    return []
  }

  return write
}

/** Count rare words of the call in each block. In headings, a word also counts if it is frequent only in other text. */
function soughtWords({ main, words = [] }: ReadPage): number[] {
  const texts = [main.map(({ text }) => text), main.map(({ kind, text }) => (kind === 'heading' ? text : ''))]
  const [all, named] = texts.map((each) => findSought(each, words)?.counts)
  return main.map((_, index) => (all?.[index] ?? 0) + 2 * (named?.[index] ?? 0))
}

const unitsOf = (blocks: readonly PageBlock[]): number => blocks.reduce((units, { text }) => units + text.length, 0)

function markdownOf({ kind, level, text }: PageBlock): string {
  switch (kind) {
    case 'heading':
      return `${'#'.repeat(level)} ${text}`
    case 'item':
      return `${'  '.repeat(Math.min(level, 6) - 1)}- ${text}`
    case 'quote':
      return `> ${text}`
    case 'code':
      return `\`\`\`\n${text}\n\`\`\``
    default:
      return text
  }
}

function markdownGap(before: PageBlock, after: PageBlock): string {
  return before.kind === after.kind && (after.kind === 'item' || after.kind === 'row') ? '\n' : '\n\n'
}
