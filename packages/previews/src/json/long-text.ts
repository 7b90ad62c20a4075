import { detach } from '@spillway/text/internal'
import { decodeEscapes, recognizeJson } from '@spillway/text/internal/json'
import { TextScanner } from '../log/text-scanner.ts'
import type { JsonScan, ScannedString } from './json-scan.ts'
import { cutEscape } from './show-value.ts'

/** Longest string that is stored, in UTF-16 units. A longer string is read while it arrives. */
const KEPT_UNITS = 131_072
/** Number of UTF-16 units at the start that are kept to detect JSON. */
const START_UNITS = 1_024
/** Smallest number of line ends in a string that is shown by lines. */
const LEAST_LINES = 5
/** Smallest confidence for JSON in a string. */
const SURE = 0.8

export interface NestedScanner {
  push(text: string): void
  finish(): JsonScan
}

interface Reading {
  readonly push: (text: string) => void
  readonly finish: ScannedString['read']
}

export class LongText {
  length = 0
  start = ''
  readonly #path: readonly string[]
  readonly #nested: (() => NestedScanner) | undefined
  #parts: string[] = []
  #reading: Reading | undefined
  /** An incomplete escape at the end of the last part. */
  #open = ''
  #newlines = 0

  /** @param nested - Creates the scanner for JSON in a string. If absent, all strings are read as text. */
  constructor(path: readonly string[], nested: (() => NestedScanner) | undefined) {
    this.#path = path
    this.#nested = nested
  }

  push(part: string): void {
    if (this.start.length < START_UNITS)
      this.start = detach(this.start + part.slice(0, START_UNITS - this.start.length))
    this.length += part.length
    if (this.#newlines < LEAST_LINES) this.#newlines += countNewlines(part)
    if (this.#reading === undefined) {
      this.#parts.push(part)
      if (this.length <= KEPT_UNITS) return
      this.#reading = this.#begin()
      for (const early of this.#parts) this.#pass(early)
      this.#parts = []
    } else this.#pass(part)
  }

  /** End the string. Returns `undefined` if the string has too few lines and is not JSON. */
  finish(): ScannedString | undefined {
    const length = this.length
    const path = this.#path
    if (this.#newlines < LEAST_LINES && !this.#isJson()) return undefined
    if (this.#reading !== undefined) {
      const reading = this.#reading
      reading.push(decodeEscapes(this.#open))
      return { path, length, read: once(reading.finish) }
    }
    const raw = detach(this.#parts.join(''))
    const read = once(() => {
      const reading = this.#begin()
      reading.push(decodeEscapes(raw))
      return reading.finish()
    })
    return { path, length, read }
  }

  #isJson(): boolean {
    if (this.#nested === undefined || !/^\s*(?:\\[nrt]\s*)*[[{]/.test(this.start)) return false
    const start = decodeEscapes(cutEscape(this.start))
    return recognizeJson({ contentType: 'text/plain', start, isWhole: this.length <= START_UNITS }).sureness >= SURE
  }

  #begin(): Reading {
    if (this.#isJson()) {
      const scanner = this.#nested!()
      return { push: (text) => scanner.push(text), finish: () => ({ json: scanner.finish() }) }
    }
    const scanner = new TextScanner()
    return { push: (text) => scanner.push(text), finish: () => ({ lines: scanner.finish() }) }
  }

  #pass(part: string): void {
    const text = this.#open + part
    const whole = cutEscape(text)
    this.#open = text.slice(whole.length)
    this.#reading!.push(decodeEscapes(whole))
  }
}

/** Compute a result only once, because each draft of a preview needs the result. */
function once<Result>(work: () => Result): () => Result {
  let done: { readonly result: Result } | undefined
  return () => (done ??= { result: work() }).result
}

/** Count escaped newlines. The count stops at `LEAST_LINES`. */
function countNewlines(part: string): number {
  let count = 0
  for (let at = part.indexOf('\\n'); at >= 0 && count < LEAST_LINES; at = part.indexOf('\\n', at + 2)) count++
  return count
}
