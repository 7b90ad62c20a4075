import { detach } from '../../content/detach.ts'
import { TextScanner } from '../log/text-scanner.ts'
import type { TextScan } from '../log/text-scan.ts'
import { decodeEscapes } from './decode-escapes.ts'

/** Units of a string that are kept as they stand; of a longer one, the lines are scanned. */
const KEPT_UNITS = 65_536
/** Fewest lines of a string that is shown by its lines. */
const LEAST_LINES = 5

/** A string of many lines in JSON. */
export interface ScannedString {
  /** The keys that lead to it; `''` for an item of an array. */
  readonly path: readonly string[]
  /** UTF-16 units as it stands in the text. */
  readonly length: number
  /** Its start, as it stands in the text. */
  readonly start: string
  /** Scan its lines. */
  readonly scan: () => TextScan
}

/** Takes in a string of JSON, as it stands in the text, part by part. */
export class LongText {
  readonly #path: readonly string[]
  #parts: string[] = []
  #scanner: TextScanner | undefined
  /** An escape that is cut at the end of what was taken in. */
  #open = ''
  #length = 0
  #newlines = 0
  start = ''

  constructor(path: readonly string[]) {
    this.#path = path
  }

  get length(): number {
    return this.#length
  }

  push(part: string): void {
    if (this.start.length < 1_024) this.start = detach((this.start + part).slice(0, 1_024))
    this.#length += part.length
    if (this.#newlines < LEAST_LINES) this.#newlines += countNewlines(part)
    if (this.#scanner === undefined) {
      this.#parts.push(part)
      if (this.#length <= KEPT_UNITS) return
      this.#scanner = new TextScanner()
      for (const early of this.#parts) this.#pass(early)
      this.#parts = []
    } else this.#pass(part)
  }

  /** Returns `undefined` where the string has not enough lines. */
  finish(): ScannedString | undefined {
    if (this.#newlines < LEAST_LINES) return undefined
    const { start } = this
    if (this.#scanner !== undefined) {
      this.#scanner.push(this.#open)
      const scan = this.#scanner.finish()
      return { path: this.#path, length: this.#length, start, scan: () => scan }
    }
    const raw = detach(this.#parts.join(''))
    const scan = (): TextScan => {
      const scanner = new TextScanner()
      scanner.push(decodeEscapes(raw).text)
      return scanner.finish()
    }
    return { path: this.#path, length: this.#length, start, scan }
  }

  #pass(part: string): void {
    const { text, rest } = decodeEscapes(this.#open + part)
    this.#open = rest
    this.#scanner!.push(text)
  }
}

/** Counts few: only whether there are some. */
function countNewlines(part: string): number {
  let count = 0
  for (let at = part.indexOf('\\n'); at >= 0 && count < LEAST_LINES; at = part.indexOf('\\n', at + 2)) count++
  return count
}
