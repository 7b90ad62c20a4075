import { isJsonLinesType, recognizeJson } from '@spillway/text/internal/json'
import { checkedShares } from '../layout/checked-shares.ts'
import type { TextPreviewer, TextReader, TextSubject } from '../previewer.ts'
import type { JsonScan } from './json-scan.ts'
import { JsonScanner } from './json-scanner.ts'
import { renderJsonPreview, type JsonPreviewShares } from './render-json-preview.ts'

/** How previews of JSON are written. */
export interface JsonPreviewerOptions {
  /**
   * How the tokens are shared that the names of keys leave; what one part leaves goes to the others. Each from 0 to 1, at
   * most 1 together. Defaults to values 0.3, items 0.4, strings 0.3.
   */
  readonly shares?: Partial<JsonPreviewShares> | undefined
}

const SHARES: JsonPreviewShares = { values: 0.3, items: 0.4, strings: 0.3 }
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
 *
 * @example
 * ```ts
 * import { jsonPreviewer, previewText } from '@spillway/previews'
 *
 * const issues = Array.from({ length: 400 }, (_, id) => ({ id, title: `Issue ${id}`, user: { login: 'ada' } }))
 * const preview = await previewText(JSON.stringify(issues), {
 *   previewers: [jsonPreviewer({ shares: { values: 0.1, items: 0.8, strings: 0.1 } })],
 *   budgetTokens: 200,
 * })
 * console.assert(preview.includes('[400 items {id: 0..399'))
 * ```
 */
export function jsonPreviewer(options: JsonPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'json',
    previews: 'text',
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many || isJsonLinesType(subject.contentType) ? 0 : sureness
    },
    read: (subject) => readJson(subject, shares),
  }
}

/**
 * Preview a row of JSON values: JSON Lines, JSON text sequences (RFC 7464), or documents one after another.
 *
 * The keys of all records are merged and shown once; then come records as rows with their line numbers.
 *
 * @example
 * ```ts
 * import { ndjsonPreviewer, previewText } from '@spillway/previews'
 *
 * const records = Array.from({ length: 400 }, (_, id) => JSON.stringify({ id, name: `part ${id}`, price: id / 4 }))
 * const preview = await previewText(records.join('\n'), { previewers: [ndjsonPreviewer()], budgetTokens: 200 })
 * console.assert(preview.startsWith('[400 JSON records]'))
 * ```
 */
export function ndjsonPreviewer(options: JsonPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'ndjson',
    previews: 'text',
    recognize: (subject) => {
      const { sureness, many } = recognizeJson(subject)
      return many ? sureness : isJsonLinesType(subject.contentType) ? Math.min(sureness, 0.9) : 0
    },
    read: (subject) => readJson(subject, shares),
  }
}

function readJson(subject: TextSubject, shares: JsonPreviewShares): TextReader {
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
      return (options) => renderJsonPreview(content, options, shares)
    },
  }
}

/** Whether enough of a text was JSON. */
function isJson({ values, broken, length, strayUnits }: JsonScan): boolean {
  if (values === 0 || strayUnits > length * MOST_STRAY) return false
  if (broken === undefined || broken.atEnd) return true
  return broken.offset >= Math.max(LEAST_UNITS, length * LEAST_SHARE)
}
