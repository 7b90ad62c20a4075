import { estimateTokens } from '../../tokens/estimate-tokens.ts'
import { countOf } from '../gap-marks.ts'
import { renderTextPreview } from '../log/render-text-preview.ts'
import type { TextScan } from '../log/text-scan.ts'
import type { PreviewOptions } from '../previewer.ts'
import type { JsonScan } from './json-scanner.ts'
import type { ScannedString } from './long-text.ts'
import { showKey } from './skeleton-node.ts'

/** Share of a text that its strings of many lines make up at least where they are shown by their lines. */
const LEAST_SHARE = 0.2
/** Share of the tokens that is kept for them at least, where they are most of the text. */
const KEPT_SHARE = 0.5

/** Strings of many lines in JSON, shown by the lines that matter. */
export class ShownStrings {
  readonly #strings: readonly ScannedString[]
  readonly #scans: TextScan[] = []
  readonly #options: PreviewOptions
  /** The share of a budget that the strings need at least. */
  readonly least: number

  constructor(scan: JsonScan, options: PreviewOptions) {
    const longest = scan.strings[0]?.length ?? 0
    const total = scan.strings.reduce((sum, { length }) => sum + length, 0)
    const share = total / scan.length
    this.#strings = share < LEAST_SHARE ? [] : scan.strings.filter(({ length }) => length >= longest / 8)
    this.least = share * KEPT_SHARE
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#strings.length === 0
  }

  /** Write the lines that matter within about `tokens`, the longer strings with more of them. */
  write(tokens: number): string {
    let left = tokens
    const total = this.#strings.reduce((sum, { length }) => sum + length, 0)
    let rest = total
    let text = ''
    for (const [index, string] of this.#strings.entries()) {
      const scan = (this.#scans[index] ??= string.scan())
      const head = `\n[${showPath(string.path)}, ${countOf(scan.lines, 'line')}, numbered within the string:]\n`
      const room = Math.floor((left * string.length) / rest - estimateTokens(head))
      rest -= string.length
      if (room < 16) continue
      const { isError } = this.#options
      const lines = renderTextPreview(scan, { budgetTokens: room, countTokens: estimateTokens, isError })
      if (lines === '') continue
      // The header says how many lines there are.
      const shown = head + lines.replace(/^\[[\d,]+ lines?\]\n/, '')
      left -= estimateTokens(shown)
      text += shown
    }
    return text
  }
}

function showPath(path: readonly string[]): string {
  const shown = path.map((key, index) => (key === '' ? '[]' : (index > 0 ? '.' : '') + showKey(key))).join('')
  return shown === '' ? 'text' : shown
}
