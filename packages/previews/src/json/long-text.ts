import { detach } from '@spillway/text/internal'
import { recognizeJson } from '@spillway/text/internal/json'
import { TextScanner } from '../log/text-scanner.ts'
import type { JsonScan, ScannedString } from './json-scan.ts'

/** Longest string that is kept, in UTF-16 units; longer ones are read as they arrive. */
const KEPT_UNITS = 1_048_576
/** UTF-16 units of the start that are kept, to detect JSON. */
const START_UNITS = 1_024
/** Fewest lines of a string that is shown by lines. */
const LEAST_LINES = 5
/** Sureness required for JSON in a string. */
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
  readonly #path: readonly string[]
  readonly #nested: (() => NestedScanner) | undefined
  #parts: string[] = []
  #reading: Reading | undefined
  /** An escape cut by the end of the last part. */
  #open = ''
  #length = 0
  #newlines = 0
  #start = ''

  /** @param nested - Creates the reader of JSON in a string; without it, strings are text. */
  constructor(path: readonly string[], nested: (() => NestedScanner) | undefined) {
    this.#path = path
    this.#nested = nested
  }

  get length(): number {
    return this.#length
  }

  get start(): string {
    return this.#start
  }

  push(part: string): void {
    if (this.#start.length < START_UNITS)
      this.#start = detach(this.#start + part.slice(0, START_UNITS - this.#start.length))
    this.#length += part.length
    if (this.#newlines < LEAST_LINES) this.#newlines += countNewlines(part)
    if (this.#reading === undefined) {
      this.#parts.push(part)
      if (this.#length <= KEPT_UNITS) return
      this.#reading = this.#begin()
      for (const early of this.#parts) this.#pass(early)
      this.#parts = []
    } else this.#pass(part)
  }

  /** Returns `undefined` if the string has too few lines and is not JSON. */
  finish(): ScannedString | undefined {
    const length = this.#length
    const path = this.#path
    if (this.#newlines < LEAST_LINES && !this.#isJson()) return undefined
    if (this.#reading !== undefined) {
      const reading = this.#reading
      reading.push(this.#open)
      return { path, length, read: once(reading.finish) }
    }
    const raw = detach(this.#parts.join(''))
    const read = once(() => {
      const reading = this.#begin()
      const { text, rest } = decodeEscapes(raw)
      reading.push(text + rest)
      return reading.finish()
    })
    return { path, length, read }
  }

  #isJson(): boolean {
    if (this.#nested === undefined || !/^\s*(?:\\[nrt]\s*)*[[{]/.test(this.#start)) return false
    const { text: start } = decodeEscapes(this.#start)
    return recognizeJson({ contentType: 'text/plain', start, isWhole: this.#length <= START_UNITS }).sureness >= SURE
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
    const { text, rest } = decodeEscapes(this.#open + part)
    this.#open = rest
    this.#reading!.push(text)
  }
}

/** Each preview needs the result, so it is computed once. */
function once<Result>(work: () => Result): () => Result {
  let done: { readonly result: Result } | undefined
  return () => (done ??= { result: work() }).result
}

/** Exact only for small counts. */
function countNewlines(part: string): number {
  let count = 0
  for (let at = part.indexOf('\\n'); at >= 0 && count < LEAST_LINES; at = part.indexOf('\\n', at + 2)) count++
  return count
}

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * Decodes escapes of JSON (RFC 8259, section 7). An unknown one means the character after its backslash.
 *
 * @returns The text, and as `rest` an escape that may continue.
 */
export function decodeEscapes(raw: string): { text: string; rest: string } {
  let at = raw.indexOf('\\')
  if (at < 0) return { text: raw, rest: '' }
  const parts: string[] = []
  let from = 0
  while (at >= 0) {
    const kind = raw[at + 1]
    const length = kind === 'u' ? 6 : 2
    if (kind === undefined || at + length > raw.length) {
      parts.push(raw.slice(from, at))
      return { text: parts.join(''), rest: raw.slice(at) }
    }
    parts.push(raw.slice(from, at), unescaped(raw, at, kind))
    from = at + length
    at = raw.indexOf('\\', from)
  }
  parts.push(raw.slice(from))
  return { text: parts.join(''), rest: '' }
}

function unescaped(raw: string, at: number, kind: string): string {
  if (kind !== 'u') return SIMPLE[kind] ?? kind
  const hex = raw.slice(at + 2, at + 6)
  return /^[\da-f]{4}$/i.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : hex
}
