import { isDigit } from '../layout/is-digit.ts'
import { countLetters } from '../layout/count-letters.ts'

/** What a line of plain text is. */
export type ProseLine =
  /** A line that names what follows; how deep, from 1. Where it is numbered, it may also begin a list. */
  | { readonly kind: 'heading'; readonly depth: number; readonly isNumbered: boolean }
  /** Part of what is quoted, such as an earlier mail. */
  | { readonly kind: 'quote' }
  /** A line of a table of contents, a page header or a rule. */
  | { readonly kind: 'filler' }
  | { readonly kind: 'text' }

const TEXT: ProseLine = { kind: 'text' }
const QUOTE: ProseLine = { kind: 'quote' }
const FILLER: ProseLine = { kind: 'filler' }

/** Headings are no longer than this. */
export const HEADING_UNITS: number = 90
/** A numbered line of no more units may end like a sentence and still be a heading. */
const TITLE_UNITS = 30
/** `1.`, `2.3`, `A.1.`, `IV.` before words: sections as RFCs, standards and books number them. */
const NUMBERED = /^(?:(\d{1,3}(?:\.\d{1,3}){0,5}\.?)|([A-Z](?:\.\d{1,3}){1,4}\.?)|([IVXLC]{1,7}\.)) {1,4}\S/
/** A number of one of the first words, as in `Chapter 12` and `第三章`. */
const COUNTED =
  /^(?:\p{Lu}[\p{L}]{2,14} (?:\d{1,4}|[IVXLC]{1,8})(?:[.:]?$|[.:]? [^\p{Ll}])|第[\d〇一二三四五六七八九十百千]{1,6}\p{L})/u
/** A blank of some width, or dots, before a page number. */
const CONTENTS = /(?:\.[ .]{2,}|\s{3,})\d{1,4}\s*$/
const PAGE = /\[Page \d+\]\s*$|^\s*-? ?\d{1,4} ?-?\s*$/

/**
 * Tell what a line is.
 *
 * @param isApart - Whether a blank line, or the beginning of the text, stands before it.
 */
export function proseLine(line: string, isApart: boolean): ProseLine {
  if (line.length > 2 * HEADING_UNITS) return line.startsWith('>') ? QUOTE : TEXT
  const text = line.trim()
  if (text.startsWith('>')) return QUOTE
  if (text.length > HEADING_UNITS) return TEXT
  // Page numbers stand at the end; lines without letters are rules.
  const last = text.charCodeAt(text.length - 1)
  if ((last === 93 || last === 45 || isDigit(last)) && (PAGE.test(text) || CONTENTS.test(text))) return FILLER
  if (countLetters(text, HEADING_UNITS) === 0) return FILLER
  if (!isApart) return TEXT
  const numbered = NUMBERED.exec(text)
  // A heading does not end like a sentence.
  const isSentence = /[.!?,;:。！？，、；]["'”’)]?$/.test(text)
  if (numbered !== null && (!isSentence || text.length <= TITLE_UNITS) && line.startsWith(text.charAt(0)))
    return { kind: 'heading', depth: partsOf(numbered[1] ?? numbered[2] ?? '1'), isNumbered: true }
  if (COUNTED.test(text) && text.length < 60) return { kind: 'heading', depth: 1, isNumbered: false }
  if (!isSentence && isCapital(text)) return { kind: 'heading', depth: 2, isNumbered: false }
  return TEXT
}

function partsOf(number: string): number {
  return number.replace(/\.$/, '').split('.').length
}

/** Whether all letters of a line are capitals, and it has some. */
function isCapital(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters >= 4 && letters >= text.length * 0.6 && !/\p{Ll}|\p{Lo}/u.test(text)
}
