import type { TextPreviewer, TextSubject } from '../previewer.ts'
import { readOutline, type OutlinedText } from './markdown-reader.ts'
import { headingDepth, markdownLine } from './markdown-line.ts'
import { withoutNumbers } from '../layout/numbered-lines.ts'

/** The shares of the budget are for headings, text, and code. Tokens that one part does not use go to the others. */
const MARKDOWN: OutlinedText = { title: 'Markdown', shares: [0.3, 0.2, 0.5], lineShare: 0.1 }

/**
 * Previews Markdown (CommonMark and tables): headings with line numbers, starts of sections, the last section, and the
 * first lines of code.
 *
 * Removes line numbers written by a tool. Lines with words that the tool call searches for are preferred.
 */
export function markdownPreviewer(): TextPreviewer {
  const read: TextPreviewer['read'] = (subject) => readOutline(subject, MARKDOWN)
  return { name: 'markdown', previews: 'text', recognize: recognizeMarkdown, read }
}

const TYPES: ReadonlySet<string> = new Set(['text/markdown', 'text/x-markdown'])
const LOOKED_AT = 300
/** Largest number of lines inside fences in Markdown, for each line outside of fences. */
const MOST_FENCED = 10

/** Matches a time or a level, as in logs. */
const LOGGED =
  /^(?:[[(]?\d{4}-\d\d-\d\d[T ]\d|[[(]?\d\d:\d\d:\d\d|\[?(?:[A-Z]{4,8})\]?[: ]\s|[A-Z][a-z]{2} [ \d]\d \d\d:)/
/** Match ends and starts of lines in code and other data. */
const CODED =
  /[;{}\\]$|^[)\]}]+[,;)]*$|^(?:<\/?[a-z][\w-]*[ >]|#include|#!|import |from |@\w)|^"[^"]*": |^[\w.]+ ?:?= ?\S/

export function recognizeMarkdown(subject: TextSubject): number {
  const { contentType, start, intent } = subject
  const marks = countMarks(withoutNumbers(subject))
  if (marks.lines === 0) return 0
  const markup = marks.headings + marks.items + marks.other
  if (marks.rows > marks.lines * 0.6 || marks.logged > marks.lines * 0.15) return 0
  // The first line of an HTML page shows that it is HTML.
  if (marks.tags > marks.lines * 3 || /^\s*<(?:!doctype|html|\?xml)\b/i.test(start)) return 0
  const kinds = (marks.headings > 0 ? 1 : 0) + (marks.items > 1 ? 1 : 0) + (marks.other > 0 ? 1 : 0)
  const coded = marks.coded > marks.lines * 0.2
  const declared = TYPES.has(contentType)
  const named = intent.paths.some((path) => /\.(?:md|markdown|mdx|mdown|qmd|rmd)$/i.test(path))
  if (declared || named) return markup > 0 && !coded ? (declared ? 0.95 : 0.92) : marks.prose > 0 && !coded ? 0.5 : 0
  // Output that a tool has put between fences is not a document.
  if (coded || kinds < 2 || marks.strong < 2 || marks.fenced > marks.lines * MOST_FENCED) return 0
  const share = (markup + marks.prose + marks.rows) / marks.lines
  if (share < 0.5 || markup < Math.max(3, marks.lines * 0.06)) return 0
  return marks.headings > 1 && share > 0.75 ? 0.85 : 0.7
}

function countMarks(lines: readonly string[]) {
  const marks = {
    /** Number of lines that are neither blank nor inside fences. */
    lines: 0,
    /** Number of lines inside fences. */
    fenced: 0,
    headings: 0,
    items: 0,
    rows: 0,
    /** Number of lines with emphasis, links, quotes, or fences. */
    other: 0,
    /** Number of lines with syntax that is rare elsewhere: deep headings, links, fences, bold text. */
    strong: 0,
    prose: 0,
    coded: 0,
    tags: 0,
    logged: 0,
  }
  let fence = ''
  let wasBlank = true
  for (const raw of lines.slice(0, LOOKED_AT)) {
    const text = raw.slice(0, 1_000).trim()
    const blank = wasBlank
    wasBlank = text === ''
    if (wasBlank) continue
    if (fence !== '') {
      marks.fenced++
      if (text.startsWith(fence) && text.replaceAll(fence.charAt(0), '') === '') fence = ''
      continue
    }
    marks.lines++
    if (LOGGED.test(text)) {
      marks.logged++
      continue
    }
    // Tags are valid in Markdown (CommonMark 4.6).
    if (/^<[/!]?[a-zA-Z-]/.test(text)) {
      marks.lines--
      marks.tags++
      continue
    }
    switch (markdownLine(text)) {
      case 'heading':
        // One `#` begins a comment in many languages, but deeper headings do not.
        if (headingDepth(text) > 1) marks.strong++
        if (headingDepth(text) > 1 || blank) marks.headings++
        break
      case 'fence':
        fence = text.slice(0, 3)
        marks.other++
        marks.strong += 2
        break
      case 'item':
        marks.items++
        if (/\*\*[^*]+\*\*|\]\(|`[^`]+`/.test(text)) marks.strong++
        break
      case 'label':
      case 'links':
        marks.other++
        marks.strong++
        break
      case 'row':
      case 'delimiter':
        marks.rows++
        break
      case 'quote':
        marks.other++
        break
      case 'underline':
      case 'rule':
        break
      case 'text':
        if (/\*\*[^*\s][^*]*\*\*|\[[^[\]]+\]\([^()\s]+\)/.test(text)) {
          marks.strong++
          marks.prose++
        } else if (CODED.test(text)) marks.coded++
        else if (isProse(text)) marks.prose++
    }
  }
  return marks
}

function isProse(text: string): boolean {
  let words = 0
  let other = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) continue
    if (code === 32) words++
    else if (code >= 0xc0 && (code < 0x2000 || code > 0x2bff)) words += code >= 0x2e80 ? 0.4 : 0
    // . , ; : ! ? ' ( ) - " are usual in sentences.
    else if (!'.,;:!?\'"()-–—’“”`'.includes(text.charAt(at))) other++
  }
  return words >= 3 && other < text.length * 0.08
}
