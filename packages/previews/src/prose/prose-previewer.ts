import { perSubject } from '@spillway/text/internal'
import { readOutline } from '../markdown/markdown-reader.ts'
import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { withoutNumbers } from '../layout/numbered-lines.ts'

/** Previews plain text of any script like Markdown, with other headings. Long lines are cut after a sentence. */
export function prosePreviewer(): TextPreviewer {
  // The shares of the budget are for headings and text. Tokens that one part does not use go to the other.
  const prose = { title: 'text', shares: [0.35, 0.65], lineShare: 0.12, headingOf: proseHeading, hasLongLines: true }
  const manual = { ...prose, headingOf: (text: string) => (MANUAL_HEADING.test(text) ? 1 : proseHeading(text)) }
  return {
    name: 'prose',
    previews: 'text',
    recognize: (subject) => Math.max(recognizeProse(subject), isManual(subject) ? PROSE : 0),
    read: (subject) => readOutline(subject, isManual(subject) ? manual : prose),
  }
}

/** Confidence for text that looks like sentences or like a manual. */
const PROSE = 0.6
/** Matches a heading of a manual page or of a help text, for example `NAME`, `Options:`, and `Usage: git [options]`. */
const MANUAL_HEADING = /^(?:[A-Z][^a-z]{3,88}|.{1,88}\w:|[Uu]sage:? .{1,200})$/
/** Smallest share of indented lines, of lines with sentences, and of headings among lines that start a paragraph. */
const INDENTED = 0.6
const WORDED = 0.3
const HEADED = 0.3

/** Whether a text is a manual page or a help text: most lines are indented below headings, and many have sentences. */
const isManual = perSubject((subject: TextSubject): boolean => {
  const filled: string[] = []
  let indented = 0
  let starts = 0
  let headings = 0
  let wasBlank = true
  for (const line of withoutNumbers(subject)) {
    const isStart = wasBlank
    wasBlank = line.trim() === ''
    if (wasBlank) continue
    filled.push(line)
    if (/^(?: {2}|\t)/.test(line)) indented++
    else if (isStart) {
      starts++
      if (MANUAL_HEADING.test(line)) headings++
    }
  }
  if (headings <= Math.max(1, starts * HEADED) || indented < filled.length * INDENTED) return false
  const worded = filled.filter((line) => /[A-Za-z]{2} [A-Za-z]{2,}\b.*\b[A-Za-z]{2,} [A-Za-z]{2}/.test(line))
  return worded.length >= filled.length * WORDED
})

/** Matches a time, a level, a path, or a rule, which do not start a sentence. */
const LOGGED =
  /^\s*(?:\[|[(]?\d{4}-\d\d-\d\d|[(]?\d\d?:\d\d|[A-Z]{4,8}:|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b|[\w.-]*[/\\][\w./\\-]+|[-=+*#~_]{3,}|\$ |> ?\$|\w+:\d|0x)/

/** Recognize prose by sentences of words that fill lines or paragraphs. */
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
        counted.sentences > 1 ||
        (previous.length > 40 && /[\p{L},]$/u.test(previous.slice(-2)) && /^[\p{Ll}\p{Lo}]/u.test(line))
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
  return PROSE
}

function countUnits(line: string) {
  let letters = 0
  /** Characters that are rare in sentences. */
  let odd = 0
  let sentences = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters++
    // A blank, a comma, a quote, an apostrophe, or a hyphen.
    else if (code === 32 || code === 44 || code === 34 || code === 39 || code === 45) continue
    else if (code === 46 || code === 33 || code === 63) {
      const next = line.charCodeAt(at + 1)
      if (at > 1 && (Number.isNaN(next) || next === 32 || next === 34 || next === 0x201d)) sentences++
    } else if (code > 127 && '。！？।؟۔'.includes(line[at]!)) sentences++
    else if (code >= 0xc0 && (code < 0x2000 || code > 0x2bff)) letters++
    else if (code < 0x2010 || code >= 0x2027) odd++
  }
  return { letters, odd, sentences }
}

const HEADING_UNITS: number = 90
/** Length up to which a numbered line may be a heading although it ends like a sentence. */
const TITLE_UNITS = 30
/** Matches `1.`, `2.3`, `A.1.`, `IV.` before words, as in RFCs, standards, and books. */
const NUMBERED = /^(?:(\d{1,3}(?:\.\d{1,3}){0,5}\.?)|([A-Z](?:\.\d{1,3}){1,4}\.?)|([IVXLC]{1,7}\.)) {1,4}\S/
/** Matches a number within the first words, such as `Chapter 12`, `第三章`. */
const COUNTED =
  /^(?:\p{Lu}[\p{L}]{2,14} (?:\d{1,4}|[IVXLC]{1,8})(?:[.:]?$|[.:]? [^\p{Ll}])|第[\d〇一二三四五六七八九十百千]{1,6}\p{L})/u
/** Matches a page number at the end, as in tables of contents and page headers. */
const PAGE = /(?:\.[ .]{2,}|\s{3,})\d{1,4}\s*$|\[Page \d+\]\s*$/

/** Returns the depth of a heading, from 1. Returns 0 for other lines. `text` must be a line after a blank line. */
export function proseHeading(text: string): number {
  if (text.length > HEADING_UNITS || PAGE.test(text)) return 0
  const numbered = NUMBERED.exec(text)
  // A heading does not end like a sentence.
  const isSentence = /[.!?,;:。！？，、；]["'”’)]?$/.test(text)
  if (numbered !== null && (!isSentence || text.length <= TITLE_UNITS))
    return (numbered[1] ?? numbered[2] ?? '1').replace(/\.$/, '').split('.').length
  if (COUNTED.test(text) && text.length < 60) return 1
  return !isSentence && isCapital(text) ? 2 : 0
}

function isCapital(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return letters >= 4 && letters >= text.length * 0.6 && !/\p{Ll}|\p{Lo}/u.test(text)
}
