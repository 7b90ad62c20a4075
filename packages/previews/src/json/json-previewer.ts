import { isJsonLinesType, recognizeJson } from '@spillway/text/internal/json'
import type { TextPreviewer, TextReader, TextSubject } from '../previewer.ts'
import type { JsonScan } from './json-scan.ts'
import { JsonScanner } from './json-scanner.ts'
import { renderJsonPreview } from './render-json-preview.ts'
import { USUAL_TOKENS } from '../usual-tokens.ts'

/** Texts up to so many UTF-16 units are kept, to be shown whole where the budget allows. */
const WHOLE_UNITS = 524_288
/** A text that stops being JSON before so many units, or before this share of it, is something else. */
const LEAST_UNITS = 2_048
const LEAST_SHARE = 0.05
/** Largest share of lines between values in a text of many values. */
const MOST_STRAY = 0.25

/**
 * Preview a JSON document: all its keys within their paths, merged over the items of arrays and over maps of like members,
 * with how many there are; then values, rows of items with their line numbers, and strings of many lines by the lines that
 * matter.
 *
 * It reads JSON as tools write it: on one line or on many, with a byte order mark, after a few words, as JSONP, with
 * comments, trailing commas or single quotes, cut off, or broken halfway. Memory is bounded, and time grows with the length
 * alone.
 */
export function jsonPreviewer(): TextPreviewer {
  return {
    name: 'json',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many || isJsonLinesType(subject.contentType) ? 0 : sureness
    },
    read: readJson,
  }
}

/**
 * Preview a row of JSON values: JSON Lines, JSON text sequences (RFC 7464), or documents one after another.
 *
 * The keys of all records are merged and shown once; then come records as rows with their line numbers.
 */
export function ndjsonPreviewer(): TextPreviewer {
  return {
    name: 'ndjson',
    previews: 'text',
    usualTokens: USUAL_TOKENS.structured,
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many ? sureness : isJsonLinesType(subject.contentType) ? Math.min(sureness, 0.9) : 0
    },
    read: readJson,
  }
}

function readJson(subject: TextSubject): TextReader {
  const { at } = recognizeJson(subject)
  const prefix = subject.start.slice(0, at)
  const scanner = new JsonScanner(prefix, subject.intent.words)
  let skip = at
  let pieces: string[] | undefined = []
  let units = 0
  return {
    push: (text) => {
      units += text.length
      if (units <= WHOLE_UNITS) pieces?.push(text)
      else pieces = undefined
      const from = Math.min(skip, text.length)
      skip -= from
      scanner.push(from === 0 ? text : text.slice(from))
    },
    finish: () => {
      const scan = scanner.finish()
      if (!isJson(scan)) return undefined
      const content = { scan, whole: pieces?.join(''), prefix }
      return (options) => renderJsonPreview(content, options)
    },
  }
}

/** Whether enough of a text was JSON. */
function isJson({ values, broken, length, strayUnits }: JsonScan): boolean {
  if (values === 0 || strayUnits > length * MOST_STRAY) return false
  if (broken === undefined || broken.atEnd) return true
  return broken.offset >= Math.max(LEAST_UNITS, length * LEAST_SHARE)
}
