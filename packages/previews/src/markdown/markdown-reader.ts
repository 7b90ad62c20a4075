import { itemOf, type Item } from '../layout/preview-model.ts'
import { countOf } from '../layout/gap-marks.ts'
import { estimateLetters } from '../layout/estimate-letters.ts'
import { ItemStore } from '../layout/item-store.ts'
import type { RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { headingDepth, markdownLine, type MarkdownLine } from './markdown-line.ts'

/** Longest front matter, in lines. */
const META_LINES = 100
/** Depth that is given to lines used as headings. */
const LABEL_DEPTH = 7
/** Largest indentation of a fence, because fences in lists are indented. */
const FENCE_INDENT = 16
/** Number of letters that count for the value of a line. */
const LETTERS_COUNTED = 240
/** Factor for lines with sought words. */
const ASKED_WORTH = 12
/** Factor for the first lines of a code block, and the limit of all factors. */
const OPENING_WORTH = 1.5
const MOST_OF_CODE: number = OPENING_WORTH * Math.sqrt(LETTERS_COUNTED)
/** Factors for the last section and the last lines. */
const LAST_SECTION = 1.6
const LAST_LINES = 8
/** Value of the last lines of prose for each square root of letters. The distance from the start does not matter. */
const PROSE_END = 2.5

interface Section {
  readonly depth: number
  readonly heading: Item | undefined
  readonly weight: number
  lines: number
  blocks: number
}

export class MarkdownReader {
  readonly #store = new ItemStore()
  readonly #words: WantedWords
  readonly #headings: number[] = []
  #sections: Section[] = [{ depth: 0, heading: undefined, weight: 1, lines: 0, blocks: 0 }]
  #fence: { readonly mark: string; readonly block: number } | undefined
  #codeLines = 0
  #blanks = 0
  #previous: { readonly item: Item; readonly kind: MarkdownLine | 'code' | 'meta' } | undefined
  #table: { readonly item: Item; rows: number } | undefined
  #meta = false

  readonly #headingOf: ((text: string) => number) | undefined

  /**
   * @param words - Words that the call seeks.
   * @param headingOf - Returns the depth of a heading if the line is one, and 0 otherwise. The line is prose between
   *   blank lines. Defaults to Markdown's rules.
   */
  constructor(words: readonly string[], headingOf?: (text: string) => number) {
    this.#words = new WantedWords(words)
    this.#headingOf = headingOf
  }

  push(line: RawLine): void {
    const { text } = line
    const indent = indentOf(text)
    if (indent === text.length && line.hidden === 0) {
      this.#blanks++
      this.#endTable()
      // Text after a rule is no front matter.
      if (line.number === 2) this.#meta = false
      return
    }
    const bare = indent === 0 ? text : text.slice(indent)
    if (this.#fence !== undefined) this.#code(line, bare, indent)
    else if (this.#meta && isMeta(line, bare)) this.#metaLine(line, bare)
    else if (line.number === 1 && bare.trimEnd() === '---') {
      this.#meta = true
      this.#add(line, 'meta', 0.2, TEXT)
    } else {
      this.#meta = false
      this.#outside(line, bare, indent)
    }
    this.#blanks = 0
  }

  finish(): MarkdownOutline {
    this.#endTable()
    const items = this.#store.finish()
    // A text often ends with its conclusion.
    const last = this.#headings.at(-1) ?? 0
    if (this.#headings.length > 3) for (const item of items) if (item.start >= last) item.value *= LAST_SECTION
    for (const item of items.slice(-LAST_LINES)) {
      item.value *= LAST_SECTION
      if (this.#headingOf !== undefined)
        item.value = Math.max(item.value, PROSE_END * Math.sqrt(estimateLetters(item.text, 0, LETTERS_COUNTED)))
    }
    return { items, headings: this.#headings }
  }

  #outside(line: RawLine, bare: string, indent: number): void {
    const { text } = line
    const depth = this.#blanks > 0 || line.number === 1 ? (this.#headingOf?.(bare.trimEnd()) ?? 0) : 0
    if (depth > 0 && indent === 0) {
      this.#heading(line, depth, true)
      return
    }
    const kind = markdownLine(bare)
    if (kind !== 'row' && kind !== 'delimiter') this.#endTable()
    switch (kind) {
      case 'heading':
        this.#heading(line, indent > 3 ? LABEL_DEPTH : headingDepth(bare), indent <= 3)
        return
      case 'label':
        this.#heading(line, LABEL_DEPTH, false)
        return
      case 'fence':
        if (indent <= FENCE_INDENT) this.#open(line, bare)
        else this.#text(line, 'text', bare)
        return
      case 'underline':
        this.#underline(line, bare)
        return
      case 'delimiter':
        this.#delimiter(line, bare)
        return
      case 'row':
        if (this.#table !== undefined) this.#table.rows++
        // Rows are often padded with blanks.
        this.#text({ ...line, text: text.replace(/ {2,}/g, ' ') }, kind, bare)
        return
      default:
        this.#text(line, kind, bare)
    }
  }

  #heading(line: RawLine, depth: number, counts: boolean): void {
    const sections = this.#sections
    while (sections.at(-1)!.depth >= depth && sections.length > 1) sections.pop()
    const parent = sections.at(-1)!
    const weight = depth >= LABEL_DEPTH ? parent.weight * 0.9 : 1 / (0.7 + 0.3 * depth)
    const value = depth >= LABEL_DEPTH ? 4 : 26 / (1 + 0.35 * depth)
    const item = this.#add(line, 'heading', value, depth >= LABEL_DEPTH ? TEXT : HEADINGS, parent.heading)
    if (counts) {
      item.numbered = true
      item.lone = true
      this.#headings.push(line.number)
    }
    sections.push({ depth, heading: depth >= LABEL_DEPTH ? parent.heading : item, weight, lines: 0, blocks: 0 })
  }

  /** Reads a line of `=` or `-`, which makes the line before it a heading (CommonMark 4.3), or is a rule. */
  #underline(line: RawLine, bare: string): void {
    const previous = this.#previous
    if (previous?.kind !== 'text' || this.#blanks > 0 || previous.item.end !== line.number - 1 || bare.length < 2) {
      this.#add(line, 'rule', 0.01, TEXT)
      return
    }
    const { item } = previous
    const depth = bare.startsWith('=') ? 1 : 2
    const sections = this.#sections
    while (sections.at(-1)!.depth >= depth && sections.length > 1) sections.pop()
    item.parent = sections.at(-1)!.heading
    sections.push({ depth, heading: item, weight: 1 / (0.7 + 0.3 * depth), lines: 0, blocks: 0 })
    item.end = line.number
    item.value = 26 / (1 + 0.35 * depth)
    item.part = HEADINGS
    item.numbered = true
    item.lone = true
    this.#headings.push(item.start)
    this.#previous = undefined
  }

  #open(line: RawLine, bare: string): void {
    const section = this.#sections.at(-1)!
    const mark = bare.charAt(0)
    let size = 3
    while (bare.charAt(size) === mark) size++
    this.#fence = { mark: mark.repeat(size), block: section.blocks++ }
    this.#codeLines = 0
    this.#add(line, 'fence', 0.4 * section.weight, CODE)
  }

  #code(line: RawLine, bare: string, indent: number): void {
    const { mark, block } = this.#fence!
    if (bare.startsWith(mark) && bare.replaceAll(mark.charAt(0), '').trim() === '') {
      this.#fence = undefined
      this.#add(line, 'code', 0.1, CODE)
      return
    }
    const index = this.#codeLines++
    const { weight, heading } = this.#sections.at(-1)!
    const place = weight / (1 + 0.06 * index) / (1 + 0.25 * block) / (1 + 0.06 * Math.min(indent, 16))
    // Skip lines that cannot be worth enough in any case.
    if (!this.#store.takes(place * MOST_OF_CODE * (this.#words.isEmpty ? 1 : ASKED_WORTH))) {
      this.#store.add(itemOf(line, this.#blanks, place, CODE, heading))
      return
    }
    const telling = estimateLetters(bare, 0, LETTERS_COUNTED)
    const last = bare.charCodeAt(bare.length - 1)
    // Lines that open a block, with { : ( or [, name it. Deeper ones give details.
    const opens = last === 123 || last === 58 || last === 40 || last === 91 ? OPENING_WORTH : 1
    const value = place * opens * Math.sqrt(telling)
    this.#add(line, 'code', value * (this.#words.isIn(line.text) ? ASKED_WORTH : 1), CODE)
  }

  #metaLine(line: RawLine, bare: string): void {
    const end = bare.trimEnd()
    if (end === '---' || end === '...') this.#meta = false
    this.#add(line, 'meta', line.number < 12 ? 3 : 1, TEXT)
  }

  #delimiter(line: RawLine, bare: string): void {
    const previous = this.#previous
    if (previous !== undefined && previous.item.end === line.number - 1 && previous.item.text.includes('|')) {
      // The row before it is the header, which now includes both.
      previous.item.end = line.number
      previous.item.value *= 2
      this.#table = { item: previous.item, rows: 0 }
    } else this.#text(line, 'text', bare)
  }

  #endTable(): void {
    if (this.#table === undefined) return
    const { item, rows } = this.#table
    item.note = countOf(rows, 'row')
    this.#table = undefined
  }

  #text(line: RawLine, kind: MarkdownLine, bare: string): void {
    const { text } = line
    const section = this.#sections.at(-1)!
    const index = section.lines++
    const kindWeight = kind === 'links' || kind === 'rule' ? 0.15 : kind === 'row' ? 0.7 : 1
    // Sought lines count the same at any place.
    const place = this.#words.isIn(text) ? ASKED_WORTH : index === 0 ? 1.6 : 1 / (1 + 0.12 * index)
    const value = section.weight * kindWeight * place * Math.sqrt(estimateLetters(bare, 0, LETTERS_COUNTED))
    this.#add(line, kind, value, TEXT)
  }

  #add(
    line: RawLine,
    kind: MarkdownLine | 'code' | 'meta',
    value: number,
    part: number,
    parent: Item | undefined = this.#sections.at(-1)!.heading,
  ): Item {
    const item = itemOf(line, this.#blanks, value, part, parent)
    this.#store.add(item)
    this.#previous = { item, kind }
    return item
  }
}

function isMeta({ number }: RawLine, bare: string): boolean {
  return number <= META_LINES && (number > 2 || /^(?:[\w-]+:|#|---|\.\.\.)/.test(bare))
}

function indentOf(text: string): number {
  let at = 0
  for (let code = text.charCodeAt(at); code === 32 || code === 9; code = text.charCodeAt(++at));
  return at
}

/** Indexes of the parts of a preview. */
const HEADINGS = 0
const TEXT = 1
const CODE = 2

interface MarkdownOutline {
  readonly items: Item[]
  readonly headings: readonly number[]
}
