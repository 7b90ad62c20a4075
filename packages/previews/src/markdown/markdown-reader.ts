import { BoundedMap, countOf, detach } from '@spillway/text/internal'
import { itemOf, type Item } from '../layout/preview-model.ts'
import { estimateLetters, indentOf } from '../layout/estimate-letters.ts'
import { hiddenOf } from '../layout/gap-marks.ts'
import { ItemStore } from '../layout/item-store.ts'
import { numberCut, numberNote } from '../layout/numbered-lines.ts'
import { RawLines, type RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { writePreview } from '../layout/write-preview.ts'
import type { TextReader, TextSubject } from '../previewer.ts'
import { headingDepth, markdownLine, type MarkdownLine } from './markdown-line.ts'

/** Longest front matter, in lines. */
const META_LINES = 100
/** Largest number of different headings that are compared. */
const MOST_TITLES = 1_000
/** Decrease of the value of a heading for each earlier heading. */
const LATER = 0.01
/** Depth of lines with only bold text, which are used as headings. */
const LABEL_DEPTH = 7
/** Largest indentation of a fence, because fences in lists are indented. */
const FENCE_INDENT = 16
/** Number of letters that count for the value of a line. */
const LETTERS_COUNTED = 240
/** Factor for lines with words that the call searches for. */
const ASKED_WORTH = 12
/** Factor for the first lines of a code block, and the limit of all factors. */
const OPENING_WORTH = 1.5
const MOST_OF_CODE: number = OPENING_WORTH * Math.sqrt(LETTERS_COUNTED)
/** Factor for the last section and the last lines, and number of last lines. */
const LAST_SECTION = 1.6
const LAST_LINES = 8
/** The last lines of prose have at least this value, multiplied by the square root of the number of letters. */
const PROSE_END = 2.5

interface Section {
  readonly depth: number
  readonly heading: Item | undefined
  readonly weight: number
  lines: number
  blocks: number
}

/**
 * @param sought - Words that the call searches for.
 * @param headingOf - Returns the depth of a heading, or 0 for another line. The function gets lines of text that follow
 * a blank line. By default, only Markdown's rules apply.
 */
function markdownReader(sought: readonly string[], headingOf?: (text: string) => number) {
  const store = new ItemStore()
  const words = new WantedWords(sought)
  const headings: number[] = []
  /** Number of headings with the same text. */
  const titles = new BoundedMap<string, number>(MOST_TITLES)
  const sections: Section[] = [{ depth: 0, heading: undefined, weight: 1, lines: 0, blocks: 0 }]
  let fence: { readonly mark: string; readonly block: number } | undefined
  let codeLines = 0
  let blanks = 0
  let previous: { readonly item: Item; readonly kind: MarkdownLine | 'code' | 'meta' } | undefined
  let table: { readonly item: Item; rows: number } | undefined
  let meta = false

  function push(line: RawLine): void {
    const { text } = line
    const indent = indentOf(text)
    if (indent === text.length && line.hidden === 0) {
      blanks++
      endTable()
      // Text after a rule is not front matter.
      if (line.number === 2) meta = false
      return
    }
    const bare = indent === 0 ? text : text.slice(indent)
    if (fence !== undefined) codeLine(line, bare, indent)
    else if (meta && isMeta(line, bare)) metaLine(line, bare)
    else if (line.number === 1 && bare.trimEnd() === '---') {
      meta = true
      add(line, 'meta', 0.2, TEXT)
    } else {
      meta = false
      outside(line, bare, indent)
    }
    blanks = 0
  }

  function finish(): { readonly items: Item[]; readonly headings: readonly number[] } {
    endTable()
    const items = store.finish()
    // A text often ends with its conclusion.
    const last = headings.at(-1) ?? 0
    if (headings.length > 3) for (const item of items) if (item.start >= last) item.value *= LAST_SECTION
    for (const item of items.slice(-LAST_LINES)) {
      item.value *= LAST_SECTION
      if (headingOf !== undefined)
        item.value = Math.max(item.value, PROSE_END * Math.sqrt(estimateLetters(item.text, 0, LETTERS_COUNTED)))
    }
    return { items, headings }
  }

  function outside(line: RawLine, bare: string, indent: number): void {
    const { text } = line
    const depth = blanks > 0 || line.number === 1 ? (headingOf?.(bare.trimEnd()) ?? 0) : 0
    if (depth > 0 && indent <= 3) {
      heading(line, depth, true)
      return
    }
    const kind = markdownLine(bare)
    if (kind !== 'row' && kind !== 'delimiter') endTable()
    switch (kind) {
      case 'heading':
        if (headingOf !== undefined && indent > 0) textLine(line, 'text', bare)
        else heading(line, indent > 3 ? LABEL_DEPTH : headingDepth(bare), indent <= 3)
        return
      case 'label':
        heading(line, LABEL_DEPTH, false)
        return
      case 'fence':
        if (indent <= FENCE_INDENT) open(line, bare)
        else textLine(line, 'text', bare)
        return
      case 'underline':
        underline(line, bare)
        return
      case 'delimiter':
        delimiter(line, bare)
        return
      case 'row':
        if (table !== undefined) table.rows++
        // Rows are often padded with blanks.
        textLine({ ...line, text: text.replace(/ {2,}/g, ' ') }, kind, bare)
        return
      default:
        textLine(line, kind, bare)
    }
  }

  function heading(line: RawLine, depth: number, counts: boolean): void {
    while (sections.at(-1)!.depth >= depth && sections.length > 1) sections.pop()
    const parent = sections.at(-1)!
    const weight = depth >= LABEL_DEPTH ? parent.weight * 0.9 : 1 / (0.7 + 0.3 * depth)
    const title = detach(line.text)
    const times = titles.get(title) ?? 0
    titles.set(title, times + 1)
    // A title that repeats, such as "Bug fixes" in each release, names no section of its own.
    const worth = 26 / (1 + 0.35 * depth) / (1 + times ** 2) / (1 + LATER * headings.length)
    const value = depth >= LABEL_DEPTH ? 4 : worth
    const item = add(line, 'heading', value, depth >= LABEL_DEPTH ? TEXT : HEADINGS, parent.heading)
    if (counts) {
      item.numbered = true
      item.lone = true
      headings.push(line.number)
    }
    sections.push({ depth, heading: depth >= LABEL_DEPTH ? parent.heading : item, weight, lines: 0, blocks: 0 })
  }

  /** Reads a line of `=` or `-`, which makes the line before it a heading (CommonMark 4.3), or is a rule. */
  function underline(line: RawLine, bare: string): void {
    if (previous?.kind !== 'text' || blanks > 0 || previous.item.end !== line.number - 1 || bare.length < 3) {
      add(line, 'rule', 0.01, TEXT)
      return
    }
    const { item } = previous
    const depth = bare.startsWith('=') ? 1 : 2
    while (sections.at(-1)!.depth >= depth && sections.length > 1) sections.pop()
    item.parent = sections.at(-1)!.heading
    sections.push({ depth, heading: item, weight: 1 / (0.7 + 0.3 * depth), lines: 0, blocks: 0 })
    item.end = line.number
    item.value = 26 / (1 + 0.35 * depth)
    item.part = HEADINGS
    item.numbered = true
    item.lone = true
    headings.push(item.start)
    previous = undefined
  }

  function open(line: RawLine, bare: string): void {
    const section = sections.at(-1)!
    const mark = bare.charAt(0)
    let size = 3
    while (bare.charAt(size) === mark) size++
    fence = { mark: mark.repeat(size), block: section.blocks++ }
    codeLines = 0
    add(line, 'fence', 0.4 * section.weight, CODE)
  }

  function codeLine(line: RawLine, bare: string, indent: number): void {
    const { mark, block } = fence!
    if (bare.startsWith(mark) && bare.replaceAll(mark.charAt(0), '').trim() === '') {
      fence = undefined
      add(line, 'code', 0.1, CODE)
      return
    }
    const index = codeLines++
    const { weight, heading } = sections.at(-1)!
    const place = weight / (1 + 0.06 * index) / (1 + 0.25 * block) / (1 + 0.06 * Math.min(indent, 16))
    // Do not rate lines whose value cannot be high enough.
    if (!store.takes(place * MOST_OF_CODE * (words.isEmpty ? 1 : ASKED_WORTH))) {
      store.add(itemOf(line, blanks, place, CODE, heading))
      return
    }
    const telling = estimateLetters(bare, 0, LETTERS_COUNTED)
    const last = bare.charCodeAt(bare.length - 1)
    // Lines that end with { : ( or [ open a block and often name it. Deeper lines give details.
    const opens = last === 123 || last === 58 || last === 40 || last === 91 ? OPENING_WORTH : 1
    const value = place * opens * Math.sqrt(telling)
    add(line, 'code', value * (words.isIn(line.text) ? ASKED_WORTH : 1), CODE)
  }

  function metaLine(line: RawLine, bare: string): void {
    const end = bare.trimEnd()
    if (end === '---' || end === '...') meta = false
    add(line, 'meta', line.number < 12 ? 3 : 1, TEXT)
  }

  function delimiter(line: RawLine, bare: string): void {
    if (previous !== undefined && previous.item.end === line.number - 1 && previous.item.text.includes('|')) {
      // The row before the delimiter row is the header. The header item now includes both rows.
      previous.item.end = line.number
      previous.item.value *= 2
      table = { item: previous.item, rows: 0 }
    } else textLine(line, 'text', bare)
  }

  function endTable(): void {
    if (table === undefined) return
    const { item, rows } = table
    item.note = countOf(rows, 'row')
    table = undefined
  }

  function textLine(line: RawLine, kind: MarkdownLine, bare: string): void {
    const { text } = line
    const section = sections.at(-1)!
    const index = section.lines++
    const kindWeight = kind === 'links' || kind === 'rule' ? 0.15 : kind === 'row' ? 0.7 : 1
    // Lines with words of the call have the same value at any place.
    const place = words.isIn(text) ? ASKED_WORTH : index === 0 ? 1.6 : 1 / (1 + 0.12 * index)
    const value = section.weight * kindWeight * place * Math.sqrt(estimateLetters(bare, 0, LETTERS_COUNTED))
    add(line, kind, value, TEXT)
  }

  function add(
    line: RawLine,
    kind: MarkdownLine | 'code' | 'meta',
    value: number,
    part: number,
    parent: Item | undefined = sections.at(-1)!.heading,
  ): Item {
    const item = itemOf(line, blanks, value, part, parent)
    store.add(item)
    previous = { item, kind }
    return item
  }

  return { push, finish }
}

function isMeta({ number }: RawLine, bare: string): boolean {
  return number <= META_LINES && (number > 2 || /^(?:[\w-]+:|#|---|\.\.\.)/.test(bare))
}

/** Indexes of the parts of a preview. */
const HEADINGS = 0
const TEXT = 1
const CODE = 2

/** The form of previews of a text with headings. */
export interface OutlinedText {
  /** The first word of the header. */
  readonly title: string
  readonly shares: readonly number[]
  readonly lineShare: number
  /** See {@link markdownReader}. */
  readonly headingOf?: (text: string) => number
  /** Whether a line is often a whole paragraph. The ends of a few long lines are then shown, too. */
  readonly hasLongLines?: boolean
}

export function readOutline({ start, intent }: TextSubject, form: OutlinedText): TextReader {
  const { title, shares, lineShare, headingOf, hasLongLines = false } = form
  const reader = markdownReader(intent.words, headingOf)
  const numbers = numberCut(start)
  let units = 0
  const lines = new RawLines((line) => reader.push(line), numbers?.cut)
  return {
    push: (text) => {
      units += text.length
      lines.push(text)
    },
    finish: () => {
      lines.finish()
      const { items, headings } = reader.finish()
      const counts = [
        countOf(lines.count, 'line'),
        ...(headings.length > 0 ? [countOf(headings.length, 'heading')] : []),
        ...(hasLongLines && lines.count < 4 ? [countOf(units, 'character')] : []),
        ...numberNote(numbers),
      ]
      const preview = {
        items,
        lines: lines.count,
        header: `${title}: ${counts.join(', ')}`,
        shares,
        lineShare,
        endShare: hasLongLines && items.length <= 4 ? 0.3 : 0,
        hidden: (from: number, to: number) => hiddenOf(headings, 'heading', from, to).join(', '),
      }
      return (options) => writePreview(preview, options)
    },
  }
}
