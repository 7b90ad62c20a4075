import { writePreview } from '../layout/write-preview.ts'
import { countOf, hiddenOf } from '../layout/gap-marks.ts'
import { RawLines, type RawLine } from '../layout/raw-lines.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { itemOf, type Item } from '../layout/preview-model.ts'
import { countLetters } from '../layout/count-letters.ts'
import { ItemStore } from '../layout/item-store.ts'
import { WantedWords } from '../layout/wanted-words.ts'
import { isDigit, numberCut, numberNote, withoutNumbers } from '../layout/numbered-lines.ts'

/** Shares of the budget: headings and text. Unused tokens go to the others. */
const SHARES = [0.35, 0.65]

/**
 * Previews plain text of any script: headings, the start and the end, and the starts of sections and paragraphs. Cuts
 * long paragraphs after a sentence.
 */
export function prosePreviewer(): TextPreviewer {
  return {
    name: 'prose',
    previews: 'text',
    recognize: recognizeProse,
    read: readProse,
  }
}

function readProse({ start, intent }: TextSubject): ReturnType<TextPreviewer['read']> {
  const reader = new ProseReader(intent.words)
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
      const { items, headings, paragraphs } = reader.finish()
      const header = [
        countOf(lines.count, 'line'),
        ...(paragraphs * 2 < lines.count ? [countOf(paragraphs, 'paragraph')] : []),
        ...(headings.length > 0 ? [countOf(headings.length, 'heading')] : []),
        ...(lines.count < 4 ? [countOf(units, 'character')] : []),
        ...numberNote(numbers),
      ].join(', ')
      return (options) =>
        writePreview(
          {
            items,
            lines: lines.count,
            header: `text: ${header}`,
            shares: SHARES,
            lineShare: 0.12,
            endShare: items.length <= 4 ? 0.3 : 0,
            hidden: (from, to) => hiddenOf(headings, 'heading', from, to).join(', '),
          },
          options,
        )
    },
  }
}

/** A time, a level, a path, or a rule: no start of a sentence. */
const LOGGED =
  /^\s*(?:\[|[(]?\d{4}-\d\d-\d\d|[(]?\d\d?:\d\d|[A-Z]{4,8}:|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|[\w.-]*[/\\][\w./\\-]+|[-=+*#~_]{3,}|\$ |> ?\$|\w+:\d|0x)/

/** Requires words in sentences that fill lines or paragraphs. */
export function recognizeProse(subject: TextSubject): number {
  const { isWhole, intent } = subject
  const lines = withoutNumbers(subject).map((line) => line.trim())
  // The last line may be cut.
  if (lines.length > 1 && !isWhole) lines.pop()
  const filled = lines.filter((line) => line !== '').length
  const isNamed = intent.paths.some((path) => /\.(?:rst|adoc|asciidoc|org)$/i.test(path))
  const isLogged = lines.filter((line) => LOGGED.test(line)).length > filled * 0.08
  if (isLogged && !isNamed) return 0
  let units = 0
  let wordy = 0
  let sentences = 0
  let flowing = 0
  let previous = ''
  for (const line of lines) {
    if (line !== '') {
      const counted = countUnits(line)
      units += line.length
      if (counted.odd <= Math.max(2, line.length * 0.06) && counted.letters >= line.length * 0.55) wordy += line.length
      sentences += counted.sentences
      // A sentence that continues in the next line, or a line with several sentences.
      if (
        (previous.length > 40 && /[\p{L},]$/u.test(previous) && /^[\p{Ll}\p{Lo}]/u.test(line)) ||
        counted.sentences > 1
      )
        flowing++
    }
    previous = line
  }
  if (units < 200) return 0
  if (isNamed && wordy > units * 0.5) return 0.8
  if (isLogged) return 0
  if (wordy < units * 0.85) return 0
  const perSentence = units / Math.max(1, sentences)
  if (perSentence > 400 || flowing < Math.max(1, filled * 0.2)) return 0
  return 0.6
}

interface Units {
  readonly letters: number
  /** Marks that are rare in sentences. */
  readonly odd: number
  /** Sentence ends: a mark after a letter and before a blank or the end, or a mark that needs no blank. */
  readonly sentences: number
}

function countUnits(line: string): Units {
  let letters = 0
  let odd = 0
  let sentences = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters++
    else if (code === 46 || code === 33 || code === 63) {
      const next = line.charCodeAt(at + 1)
      if (at > 1 && (Number.isNaN(next) || next === 32 || next === 34 || next === 0x201d)) sentences++
    } else if (
      code === 0x3002 ||
      code === 0xff01 ||
      code === 0xff1f ||
      code === 0x0964 ||
      code === 0x061f ||
      code === 0x06d4
    )
      sentences++
    else if (code >= 0xc0 && (code < 0x2000 || code > 0x2bff)) letters++
    else if (
      !(code === 32 || code === 44 || code === 39 || code === 34 || code === 45 || (code >= 0x2010 && code < 0x2027))
    )
      odd++
  }
  return { letters, odd, sentences }
}

/** Indices of the parts of a preview. */
const HEADINGS = 0
const TEXT = 1
/** Factor for sought lines. */
const ASKED_WORTH = 12
/** Factors for the first and the last lines of a text. */
const BEGINNING_WORTH = 3
const ENDING_WORTH = 2.5
/** Approximate number of these lines. */
const EDGE_LINES = 12
/** Lines counted to find repetitions, for example page headers. */
const KNOWN_LINES = 8_192
const SHORT_LINE = 100
/** Worth of the first line of a numbered list. */
const LIST_WORTH = 6

const sizeOf = ({ text }: Pick<Item, 'text'>): number => Math.sqrt(Math.min(text.length, 600))

const worthOf = (depth: number): number => 24 / (1 + 0.4 * depth)

interface ProseOutline {
  readonly items: Item[]
  readonly headings: readonly number[]
  readonly paragraphs: number
}

class ProseReader {
  readonly #store = new ItemStore()
  readonly #words: WantedWords
  readonly #known = new Map<string, number>()
  readonly #headings: number[] = []
  #sections: { readonly depth: number; readonly item: Item }[] = []
  #blanks = 0
  #paragraphs = 0
  /** Paragraphs of the section and lines of the paragraph so far. */
  #inSection = 0
  #inParagraph = 0
  #lines = 0
  /** The previous line, if it is a numbered heading. */
  #listed: Item | undefined
  #previous: Item | undefined
  /** Underline marks in the order of their first use. */
  #marks = ''

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
    // Page headers and footers are separate lines.
    const seen = isApart && text.length <= SHORT_LINE ? this.#seen(text) : 0
    if (read.kind === 'heading' && seen === 0) this.#heading(line, read.depth, read.isNumbered)
    else this.#text(line, read, isApart, seen)
    this.#lines++
    this.#blanks = 0
  }

  finish(): ProseOutline {
    const items = this.#store.finish()
    // The end of a text counts at any distance from its start.
    for (const [index, item] of items.slice(-EDGE_LINES).toReversed().entries())
      item.value = Math.max(item.value, (sizeOf(item) * ENDING_WORTH) / (1 + 0.2 * index))
    return { items, headings: this.#headings, paragraphs: this.#paragraphs }
  }

  /** Each new mark means a deeper level. */
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

  /** A numbered heading directly followed by text is a list item or a paragraph. */
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

type ProseLine =
  /** Depth from 1. A numbered one may also begin a list. */
  | { readonly kind: 'heading'; readonly depth: number; readonly isNumbered: boolean }
  /** A quote, for example of an earlier mail. */
  | { readonly kind: 'quote' }
  /** A line of a table of contents, a page header, or a rule. */
  | { readonly kind: 'filler' }
  | { readonly kind: 'text' }

const PLAIN: ProseLine = { kind: 'text' }
const QUOTE: ProseLine = { kind: 'quote' }
const FILLER: ProseLine = { kind: 'filler' }
/** Longest heading, in UTF-16 units. */
const HEADING_UNITS: number = 90
/** A numbered line of this length may end like a sentence and still be a heading. */
const TITLE_UNITS = 30
/** `1.`, `2.3`, `A.1.`, `IV.` before words, as in RFCs, standards, and books. */
const NUMBERED = /^(?:(\d{1,3}(?:\.\d{1,3}){0,5}\.?)|([A-Z](?:\.\d{1,3}){1,4}\.?)|([IVXLC]{1,7}\.)) {1,4}\S/
/** A number within the first words: `Chapter 12`, `第三章`. */
const COUNTED =
  /^(?:\p{Lu}[\p{L}]{2,14} (?:\d{1,4}|[IVXLC]{1,8})(?:[.:]?$|[.:]? [^\p{Ll}])|第[\d〇一二三四五六七八九十百千]{1,6}\p{L})/u
/** Blanks or dots before a page number. */
const CONTENTS = /(?:\.[ .]{2,}|\s{3,})\d{1,4}\s*$/
const PAGE = /\[Page \d+\]\s*$|^\s*-? ?\d{1,4} ?-?\s*$/

/** @param isApart - Whether a blank line or the start of the text precedes it. */
export function proseLine(line: string, isApart: boolean): ProseLine {
  if (line.length > 2 * HEADING_UNITS) return line.startsWith('>') ? QUOTE : PLAIN
  const text = line.trim()
  if (text.startsWith('>')) return QUOTE
  if (text.length > HEADING_UNITS) return PLAIN
  // Page numbers are at the end; lines without letters are rules.
  const last = text.charCodeAt(text.length - 1)
  if ((last === 93 || last === 45 || isDigit(last)) && (PAGE.test(text) || CONTENTS.test(text))) return FILLER
  if (countLetters(text, HEADING_UNITS) === 0) return FILLER
  if (!isApart) return PLAIN
  const numbered = NUMBERED.exec(text)
  // A heading does not end like a sentence.
  const isSentence = /[.!?,;:。！？，、；]["'”’)]?$/.test(text)
  if (numbered !== null && (!isSentence || text.length <= TITLE_UNITS) && line.startsWith(text.charAt(0)))
    return { kind: 'heading', depth: partsOf(numbered[1] ?? numbered[2] ?? '1'), isNumbered: true }
  if (COUNTED.test(text) && text.length < 60) return { kind: 'heading', depth: 1, isNumbered: false }
  if (!isSentence && isCapital(text)) return { kind: 'heading', depth: 2, isNumbered: false }
  return PLAIN
}

function partsOf(number: string): number {
  return number.replace(/\.$/, '').split('.').length
}

function isCapital(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters >= 4 && letters >= text.length * 0.6 && !/\p{Ll}|\p{Lo}/u.test(text)
}
