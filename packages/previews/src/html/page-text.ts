import { cleanLine } from '@spillway/text/internal'
import { decodeReferences } from '../markup/character-references.ts'

/** What text has that is not shown as it is: blanks other than single ones, control characters, those without width. */
const UNCLEAN = /[^\S ]| {2}|[\p{Cc}\u00ad\u200b\u2060\ufeff]/u
const WITHOUT_WIDTH = /[\u00ad\u200b\u2060\ufeff]+/g
const LEADING_BLANKS = /^(?:\s|&(?:nbsp|#160|#xa0);)*/i
const BLANKS = /\s+/g
const CONTROL = /[^\P{Cc}\s]/u

/** The text of a block as it comes: runs of blanks are one blank, unless it is preformatted. */
export class PageText {
  #parts: string[] = []
  #length = 0
  #endsBlank = true
  #breaks = 0
  /** The line that the text begins in; 0 before there is any. */
  #line = 0
  #linked = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  get length(): number {
    return this.#length
  }

  /** Add text as it stands in the source, beginning in a line of it. */
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

  /** Add text as it is. */
  addRaw(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
    this.#endsBlank = text.endsWith(' ')
  }

  /** Add a blank, unless there is one. */
  addBlank(): void {
    if (!this.#endsBlank) this.addRaw(' ')
  }

  /** Add a line break, and return how many there are without text between. */
  addBreak(): number {
    this.addBlank()
    return ++this.#breaks
  }

  /** Take the text out, without blanks around it: of preformatted text without blank lines around it. */
  take(): string {
    const text = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('')
    this.#parts = []
    this.#length = 0
    this.#endsBlank = true
    this.#breaks = 0
    if (!text.includes('\n')) return text.trim().toWellFormed()
    const lines = text.split('\n').map(cleanLine)
    const first = lines.findIndex((line) => line !== '')
    return lines.slice(Math.max(0, first)).join('\n').trimEnd().toWellFormed()
  }

  /** Return the line that the text taken out began in, and how many of its units were links, once for each block. */
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
  // What ends the text may separate it from what follows.
  return clean.endsWith(' ') ? `${cleanLine(clean)} ` : cleanLine(clean)
}
