import { estimateTokens } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { renderTextPreview } from '../log/render-text-preview.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { JsonScan, ScannedString } from './json-scan.ts'
import { showKey } from './skeleton-node.ts'

/** Share of a text that its long strings make up at least where they are shown for themselves. */
const LEAST_SHARE = 0.2
/** Share of the tokens that is kept for them at least, where they are most of the text. */
const KEPT_SHARE = 0.6
/** A string is shown if it is no shorter than this share of the longest one. */
const LEAST_OF_LONGEST = 0.125
/** Fewest tokens that show anything of a string. */
const LEAST_TOKENS = 16

/** Writes the preview of JSON in a string. */
export type WriteNested = (scan: JsonScan, options: PreviewOptions) => string

/** Long strings in JSON: text by the lines that matter, JSON as JSON. */
export class ShownStrings {
  readonly #strings: readonly ScannedString[]
  readonly #options: PreviewOptions
  readonly #writeNested: WriteNested
  /** The share of a budget that the strings need at least. */
  readonly least: number

  constructor(scan: JsonScan, options: PreviewOptions, writeNested: WriteNested) {
    const longest = scan.strings[0]?.length ?? 0
    const total = scan.strings.reduce((sum, { length }) => sum + length, 0)
    const share = total / scan.length
    this.#strings = share < LEAST_SHARE ? [] : scan.strings.filter(({ length }) => length >= longest * LEAST_OF_LONGEST)
    this.least = this.#strings.length === 0 ? 0 : share * KEPT_SHARE
    this.#options = options
    this.#writeNested = writeNested
  }

  get isEmpty(): boolean {
    return this.#strings.length === 0
  }

  /** Write the strings within about `tokens`, the longer ones with more of them; each begins with a newline. */
  write(tokens: number): string {
    let left = tokens
    let rest = this.#strings.reduce((sum, { length }) => sum + length, 0)
    let text = ''
    for (const string of this.#strings) {
      const read = string.read()
      const lines = 'json' in read ? '' : `, ${countOf(read.lines.lines, 'line')}`
      const head = `\n[${showPlace(string.path)}${lines}, lines numbered within it:]\n`
      const room = Math.floor((left * string.length) / rest - estimateTokens(head))
      rest -= string.length
      if (room < LEAST_TOKENS) continue
      const options: PreviewOptions = {
        budgetTokens: room,
        countTokens: estimateTokens,
        isError: this.#options.isError,
      }
      const shown = 'json' in read ? this.#writeNested(read.json, options) : renderTextPreview(read.lines, options)
      if (shown === '') continue
      // The head says how many lines there are; their numbers are not those of the text, and look different.
      const body = shown.replace(/^\[[\d,]+ lines?\]\n/, '').replace(/^(\d+)\| /gm, '$1: ')
      left -= estimateTokens(head) + estimateTokens(body)
      text += head + body
    }
    return text
  }
}

function showPlace(path: readonly string[]): string {
  const shown = path.map((key, index) => (key === '' ? '[]' : (index > 0 ? '.' : '') + showKey(key))).join('')
  return shown === '' ? 'text' : shown
}
