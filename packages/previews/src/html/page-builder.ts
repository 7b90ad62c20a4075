import { cleanLine } from '@spillway/text/internal'
import type { ElementKind } from './element-kind.ts'
import { decodeReferences } from '../markup/character-references.ts'
import type { BlockKind, Page, PageBlock, PageElement } from './page.ts'

/** Largest numbers of blocks and elements. */
const MAX_BLOCKS = 65_536
const MAX_ELEMENTS = 65_536
/** Largest size of kept text, in UTF-16 units. */
const MAX_KEPT = 8_388_608
/** Longest block and cell, in UTF-16 units. Longer blocks are split. A table with a longer cell is a layout table. */
const MAX_BLOCK = 32_768
const MAX_CELL = 200
const MAX_TITLE = 512
/** Matches the sign with which a heading links to itself. */
const SELF_LINK = /^[#§¶]\s?|\s?[#§¶]$/
/** States of an open element without an index: it may get an index later, or never. */
const NOT_MADE = -1
const NEVER_MADE = -2

export class PageBuilder {
  readonly #blocks: PageBlock[] = []
  readonly #elements: PageElement[] = [newElement(-1, 0, 0)]
  readonly #open: { made: number; readonly kind: ElementKind; readonly marks: number }[] = []
  /** Number of outer open elements that have an index or will never have an index. */
  #settled = 0
  #kept = 0
  #isPart = false
  #title = ''
  #hasTitle = false
  readonly #text = new PageText()
  #cells: string[] = []
  /** Whether table cells contain blocks, as in a layout table. */
  #isLayout = false
  #titles = 0
  #headings = 0
  #lists = 0
  #quotes = 0
  #preformatted = 0
  #rows = 0
  #links = 0
  #headingLevel = 0
  #isItem = false

  get inEmptyHeading(): boolean {
    return this.#headings > 0 && this.#text.isEmpty
  }

  open(kind: ElementKind, marks: number): void {
    if (kind.isBlock) this.#boundary(kind, false)
    this.#open.push({ made: kind.isInline ? NEVER_MADE : NOT_MADE, kind, marks })
    this.#count(kind, 1)
    if (kind.heading > 0) this.#headingLevel = kind.heading
    else if (kind.name === 'li') this.#isItem = true
  }

  close(kind: ElementKind): void {
    if (kind.isBlock) this.#boundary(kind, true)
    this.#count(kind, -1)
    const { made } = this.#open.pop()!
    if (this.#settled > this.#open.length) this.#settled = this.#open.length
    if (made >= 0) this.#elements[made]!.endBlock = this.#blocks.length
  }

  mark(kind: ElementKind): void {
    if (kind.name === 'hr' && !this.#inCells) this.#flush()
    if (kind.name !== 'br' || this.#text.isEmpty) return
    if (this.#preformatted > 0) this.#text.addRaw('\n')
    else if (this.#text.addBreak() > 1 && !this.#inCells) this.#flush()
  }

  text(text: string, line: number): void {
    if (this.#titles > 0) {
      // SVG elements also have titles. The first title is the title of the page.
      if (!this.#hasTitle && this.#title.length < MAX_TITLE) this.#title += text.slice(0, MAX_TITLE)
    } else if (this.#blocks.length >= MAX_BLOCKS || this.#kept >= MAX_KEPT) {
      this.#isPart ||= /\S/.test(text)
    } else {
      this.#text.add(text, line, this.#preformatted > 0, this.#links > 0)
      if (this.#text.length >= MAX_BLOCK) this.#flush()
    }
  }

  finish(lines: number): Page {
    this.#flush()
    this.#elements[0]!.endBlock = this.#blocks.length
    const title = decodeReferences(this.#title)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .toWellFormed()
    return { title, blocks: this.#blocks, elements: this.#elements, lines, isPart: this.#isPart }
  }

  #count({ name, heading }: ElementKind, by: number): void {
    if (heading > 0) this.#headings += by
    else if (name === 'a') this.#links += by
    else if (name === 'ul' || name === 'ol') this.#lists += by
    else if (name === 'tr') this.#rows += by
    else if (name === 'pre') this.#preformatted += by
    else if (name === 'blockquote') this.#quotes += by
    else if (name === 'title') {
      this.#titles += by
      if (by < 0 && this.#title !== '') this.#hasTitle = true
    }
  }

  get #inCells(): boolean {
    return this.#rows > 0 && !this.#isLayout
  }

  /** Ends a block at a tag, if necessary. All cells of a row are one block. */
  #boundary({ name, laysOut }: ElementKind, ends: boolean): void {
    if (name === 'tr' || (name === 'table' && this.#rows > 0)) {
      this.#flush()
      // A table that contains another table is a layout table.
      this.#isLayout = name === 'table' || (ends && this.#rows > 1)
    } else if (this.#inCells) {
      if (name === 'td' || name === 'th') {
        if (ends) this.#cells.push(this.#text.take())
      } else if (laysOut || this.#text.length > MAX_CELL) {
        this.#flush()
        this.#isLayout = true
      } else this.#text.addBlank()
    } else {
      this.#flush()
      if (ends && name === 'li') this.#isItem = false
    }
  }

  #flush(): void {
    if (this.#inCells) {
      if (!this.#text.isEmpty) this.#cells.push(this.#text.take())
      while (this.#cells.at(-1) === '') this.#cells.pop()
      const cells = this.#cells
      this.#cells = []
      this.#add(cells.length > 1 ? 'row' : 'text', cells.join(' | '))
    } else if (!this.#text.isEmpty) {
      const isItem = this.#isItem && this.#lists > 0
      const kind =
        this.#preformatted > 0
          ? 'code'
          : this.#headings > 0
            ? 'heading'
            : isItem
              ? 'item'
              : this.#quotes > 0
                ? 'quote'
                : 'text'
      this.#add(kind, this.#text.take())
    }
  }

  #add(kind: BlockKind, all: string): void {
    const { line, linked } = this.#text.origin()
    const text = kind === 'heading' && linked > 0 && linked <= 2 ? all.replace(SELF_LINK, '') : all
    if (text === '') return
    const linkUnits = Math.min(linked, text.length)
    const index = this.#makeElement()
    const level = kind === 'heading' ? this.#headingLevel : kind === 'item' ? this.#lists : 0
    this.#blocks.push({ kind, level, text, element: index, line, linkUnits })
    this.#kept += text.length
  }

  #makeElement(): number {
    for (; this.#settled < this.#open.length; this.#settled++) {
      const open = this.#open[this.#settled]!
      if (open.made !== NOT_MADE) continue
      if (this.#elements.length >= MAX_ELEMENTS) open.made = NEVER_MADE
      else {
        open.made = this.#elements.length
        this.#elements.push(newElement(this.#madeAbove(this.#settled), open.marks, this.#blocks.length))
      }
    }
    return this.#madeAbove(this.#open.length)
  }

  #madeAbove(depth: number): number {
    for (let at = depth - 1; at >= 0; at--) {
      const { made } = this.#open[at]!
      if (made >= 0) return made
    }
    return 0
  }
}

function newElement(parent: number, marks: number, firstBlock: number): PageElement {
  return { parent, marks, firstBlock, endBlock: firstBlock }
}

/** Matches text to clean: runs of blanks, control characters, zero-width characters. */
const UNCLEAN = /[^\S ]| {2}|[\p{Cc}\u00ad\u200b\u2060\ufeff]/u
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]+/g
const LEADING_BLANKS = /^(?:\s|&(?:nbsp|#160|#xa0);)*/i
const BLANKS = /\s+/g
const CONTROL = /[^\P{Cc}\s]/u

/** Collects text. Runs of blanks become one blank, unless the text is preformatted. */
class PageText {
  #parts: string[] = []
  length = 0
  #endsBlank = true
  #breaks = 0
  /** Line in which the text starts. 0 if there is no text. */
  #line = 0
  #linked = 0

  get isEmpty(): boolean {
    return this.length === 0
  }

  add(source: string, line: number, isRaw: boolean, isLink: boolean): void {
    const text = decodeReferences(source)
    let clean = text
    if (!isRaw) {
      if (UNCLEAN.test(text)) clean = cleaned(text)
      if (this.#endsBlank && clean.charCodeAt(0) === 32) clean = clean.slice(1)
    }
    if (clean === '') return
    if (this.#line === 0) this.#line = line + (LEADING_BLANKS.exec(source)![0].split('\n').length - 1)
    if (clean !== ' ') this.#breaks = 0
    this.addRaw(clean)
    if (isLink) this.#linked += clean.length
  }

  addRaw(text: string): void {
    this.#parts.push(text)
    this.length += text.length
    this.#endsBlank = text.endsWith(' ')
  }

  addBlank(): void {
    if (!this.#endsBlank) this.addRaw(' ')
  }

  /** Add a line break. Return the number of line breaks since the last text. */
  addBreak(): number {
    this.addBlank()
    return ++this.#breaks
  }

  /** Returns the text without blanks at its ends. Preformatted text loses only blank lines. */
  take(): string {
    const text = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('')
    this.#parts = []
    this.length = 0
    this.#endsBlank = true
    this.#breaks = 0
    if (!text.includes('\n')) return text.trim().toWellFormed()
    const lines = text.split('\n').map(cleanLine)
    const first = lines.findIndex((line) => line !== '')
    return lines.slice(Math.max(0, first)).join('\n').trimEnd().toWellFormed()
  }

  /** Return the line in which the text starts, and the number of its UTF-16 units in links. Reset both numbers. */
  origin(): { line: number; linked: number } {
    const origin = { line: this.#line, linked: this.#linked }
    this.#line = 0
    this.#linked = 0
    return origin
  }
}

function cleaned(text: string): string {
  let clean = text
  if (WITHOUT_WIDTH.test(clean)) clean = clean.replace(WITHOUT_WIDTH, '')
  clean = clean.replace(BLANKS, ' ')
  if (!CONTROL.test(clean)) return clean
  // A final blank may separate the text from the next text.
  return clean.endsWith(' ') ? `${cleanLine(clean)} ` : cleanLine(clean)
}
