import { type Item, itemOf } from '../layout/preview-model.ts'
import { countLetters } from '../layout/count-letters.ts'
import { ItemStore } from '../layout/item-store.ts'
import type { RawLine } from '../layout/raw-lines.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { HEADING_UNITS, proseLine, type ProseLine } from './prose-line.ts'

/** The parts of a preview of prose, by their indices. */
export const HEADINGS = 0
export const TEXT = 1

/** What a line is worth more than others for what the agent looks for. */
const ASKED_WORTH = 12
/** What the first and the last lines of a text are worth more than others. */
const BEGINNING_WORTH = 3
const ENDING_WORTH = 2.5
/** How many they are, about. */
const EDGE_LINES = 12
/** Lines whose repetitions are counted, such as the headers of pages. */
const KNOWN_LINES = 8_192
const SHORT_LINE = 100

/** What the first line of a numbered list is worth. */
const LIST_WORTH = 6

/** What the length of a line adds to what it is worth. */
const sizeOf = ({ text }: Pick<Item, 'text'>): number => Math.sqrt(Math.min(text.length, 600))

/** What a heading is worth. */
const worthOf = (depth: number): number => 24 / (1 + 0.4 * depth)

/** What was read of prose. */
export interface ProseOutline {
  readonly items: Item[]
  readonly headings: readonly number[]
  readonly paragraphs: number
}

/** Reads the lines of plain text: headings where it has such, and how its sections and paragraphs begin. */
export class ProseReader {
  readonly #store = new ItemStore()
  readonly #words: WantedWords
  readonly #known = new Map<string, number>()
  readonly #headings: number[] = []
  #sections: { readonly depth: number; readonly item: Item }[] = []
  #blanks = 0
  #paragraphs = 0
  /** Paragraphs of the section, and lines of the paragraph, so far. */
  #inSection = 0
  #inParagraph = 0
  #lines = 0
  /** The line before, where it is a numbered heading. */
  #listed: Item | undefined
  /** The line right before the next one. */
  #previous: Item | undefined
  /** The marks that underline headings, in the order in which they come. */
  #marks = ''

  /** @param words - What the agent looks for. */
  constructor(words: readonly string[]) {
    this.#words = new WantedWords(words)
  }

  push(line: RawLine): void {
    const { text } = line
    if (text.trim() === '' && line.hidden === 0) {
      this.#blanks++
      this.#previous = undefined
      return
    }
    if (this.#underlines(line)) return
    const isApart = this.#blanks > 0 || this.#lines === 0
    if (!isApart) this.#demote()
    this.#listed = undefined
    const read = proseLine(text, isApart)
    // The headers and footers of pages stand apart.
    const seen = isApart && text.length <= SHORT_LINE ? this.#seen(text) : 0
    if (read.kind === 'heading' && seen === 0) this.#heading(line, read.depth, read.isNumbered)
    else this.#text(line, read, isApart, seen)
    this.#lines++
    this.#blanks = 0
  }

  finish(): ProseOutline {
    const items = this.#store.finish()
    // However far from the beginning, what a text ends with counts.
    for (const [index, item] of items.slice(-EDGE_LINES).toReversed().entries())
      item.value = Math.max(item.value, (sizeOf(item) * ENDING_WORTH) / (1 + 0.2 * index))
    return { items, headings: this.#headings, paragraphs: this.#paragraphs }
  }

  /** Whether a line underlines the one before it, which is a heading then; each mark stands for a depth. */
  #underlines(line: RawLine): boolean {
    const previous = this.#previous
    this.#previous = undefined
    if (previous === undefined || previous.part === HEADINGS) return false
    const first = line.text.charCodeAt(0)
    if (first > 126 || countLetters(line.text, 1) > 0) return false
    const text = line.text.trimEnd()
    if (!/^([=\-~^"*+#.`:_])\1{2,199}$/.test(text) || previous.text.length > HEADING_UNITS) return false
    if (text.length < previous.text.trim().length * 0.7) return false
    const mark = text.charAt(0)
    if (!this.#marks.includes(mark)) this.#marks += mark
    const depth = this.#marks.indexOf(mark) + 1
    while ((this.#sections.at(-1)?.depth ?? 0) >= depth) this.#sections.pop()
    previous.parent = this.#sections.at(-1)?.item
    previous.end = line.number
    previous.value = worthOf(depth)
    previous.part = HEADINGS
    this.#headed(previous, depth)
    return true
  }

  /** How often the same line was there before. */
  #seen(text: string): number {
    const known = this.#known.get(text) ?? 0
    if (known > 0 || this.#known.size < KNOWN_LINES) this.#known.set(text, known + 1)
    return known
  }

  #heading(line: RawLine, depth: number, isNumbered: boolean): void {
    while ((this.#sections.at(-1)?.depth ?? 0) >= depth) this.#sections.pop()
    const item = this.#add(line, worthOf(depth), HEADINGS, this.#sections.at(-1)?.item)
    this.#headed(item, depth)
    if (isNumbered) this.#listed = item
  }

  /** What seemed a numbered heading begins a list or a paragraph: the next line follows it at once. */
  #demote(): void {
    const item = this.#listed
    if (item === undefined) return
    item.numbered = false
    item.lone = false
    item.part = TEXT
    item.value = LIST_WORTH
    this.#sections.pop()
    this.#headings.pop()
    this.#paragraphs++
  }

  #headed(item: Item, depth: number): void {
    item.numbered = true
    item.lone = true
    this.#sections.push({ depth, item })
    this.#headings.push(item.start)
    this.#inSection = 0
    this.#inParagraph = 0
  }

  #text(line: RawLine, { kind }: ProseLine, isApart: boolean, seen: number): void {
    if (isApart) {
      this.#paragraphs++
      this.#inSection++
      this.#inParagraph = 0
    }
    const place = 1 / (1 + 0.25 * this.#inParagraph++) / (1 + 0.12 * this.#inSection)
    const kindWorth = kind === 'quote' ? 0.3 : kind === 'filler' ? 0.05 : 1
    const edge = Math.max(1, BEGINNING_WORTH / (1 + 0.2 * this.#lines))
    const size = sizeOf(line)
    this.#add(
      line,
      (size * place * kindWorth * edge * this.#asked(line.text)) / (1 + seen),
      TEXT,
      this.#sections.at(-1)?.item,
    )
  }

  /** How much more a line is worth for what the agent looks for. */
  #asked(text: string): number {
    return this.#words.isIn(text) ? ASKED_WORTH : 1
  }

  #add(line: RawLine, value: number, part: number, parent: Item | undefined): Item {
    const item = itemOf(line, this.#blanks, value, part, parent)
    this.#store.add(item)
    this.#previous = item
    return item
  }
}
