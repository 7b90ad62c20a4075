import { escapeEnd } from '@spillway/text/internal'
import { afterTime, type LineWords, type Severity } from './line-words.ts'

/** Largest number of hashes that are counted. The table has twice as many slots. */
const MOST_HASHES = 32_768
const FIRST_SLOTS = 1_024

/** Counts hashes exactly. If the table is full, new hashes are not counted. */
export class HashCounts {
  /** For each slot, a hash and its count. */
  #slots = new Int32Array(2 * FIRST_SLOTS)
  #size = 0
  readonly #most: number

  constructor(most: number = MOST_HASHES) {
    this.#most = most
  }

  /** Count a hash. Returns the new count, or 0 if the hash is not counted. */
  add(hash: number, times = 1): number {
    const slots = this.#slots
    const slot = slotOf(slots, hash)
    if (slots[slot + 1] !== 0) return (slots[slot + 1]! += times)
    if (this.#size >= this.#most) return 0
    slots[slot] = hash
    slots[slot + 1] = times
    if (++this.#size * 4 > slots.length && this.#size < this.#most) this.#grow()
    return times
  }

  /** Return the count of a hash, or 0 if the hash was not counted. */
  get(hash: number): number {
    return this.#slots[slotOf(this.#slots, hash) + 1]!
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length)
    for (let from = 0; from < this.#slots.length; from += 2) {
      if (this.#slots[from + 1] === 0) continue
      const slot = slotOf(slots, this.#slots[from]!)
      slots[slot] = this.#slots[from]!
      slots[slot + 1] = this.#slots[from + 1]!
    }
    this.#slots = slots
  }
}

function slotOf(slots: Int32Array, hash: number): number {
  const mask = slots.length - 2
  let slot = (2 * (hash ^ (hash >>> 15))) & mask
  while (slots[slot + 1] !== 0 && slots[slot] !== hash) slot = (slot + 2) & mask
  return slot
}

/** Assigns consecutive ids to the distinct hashes of lines. */
export class HashIds {
  /** Ids of the hashes of all lines. The ids of a line are from its start to the start of the next line. */
  ids: Int32Array<ArrayBuffer> = new Int32Array(FIRST_SLOTS)
  readonly starts: number[] = [0]
  /** For each hash, its id plus 1. */
  readonly #known = new HashCounts(Infinity)
  readonly hashes: number[] = []

  addLine(hashes: Int32Array, count: number): void {
    const start = this.starts.at(-1)!
    if (start + count > this.ids.length) this.ids = new Int32Array(this.ids.buffer.transfer(8 * this.ids.length))
    for (let index = 0; index < count; index++) this.ids[start + index] = this.#idOf(hashes[index]!)
    this.starts.push(start + count)
  }

  #idOf(hash: number): number {
    const found = this.#known.get(hash)
    if (found > 0) return found - 1
    this.#known.add(hash, this.hashes.push(hash))
    return this.hashes.length - 1
  }
}

/** Factor that combines the hash of a skeleton with a severity. */
const SEVERITY_FACTOR = 0x2545f491
/** Approximate number of lines in a moving average. */
const WINDOW = 64

/** Counts words and forms of lines. Frequent words and forms are less important. */
export class TextCounts {
  readonly words: HashCounts = new HashCounts()
  readonly kinds: HashCounts = new HashCounts()
  readonly shapes: HashCounts = new HashCounts()
  readonly templates: HashCounts = new HashCounts()
  readonly #skeletons = new HashCounts()
  /** Moving averages of the share of lines with a new kind, and of lines with new words. */
  #newKinds = 1
  #newWords = 1
  lines = 0
  red = 0

  /** Add a line. Returns how unexpected its start or its words are, from 0 to 10 bits. */
  add(line: LineWords): number {
    this.lines++
    if (line.red) this.red++
    let hasNewWord = false
    for (let index = 0; index < line.count; index++) if (this.words.add(line.words[index]!) === 1) hasNewWord = true
    const isNewKind = this.kinds.add(line.kind) === 1
    this.shapes.add(line.shape)
    this.templates.add(line.template)
    this.#skeletons.add(line.skeleton)
    if (line.severity !== 0) this.#skeletons.add(withSeverity(line.skeleton, line.severity))
    const share = Math.min(isNewKind ? this.#newKinds : 1, hasNewWord ? this.#newWords : 1)
    this.#newKinds += (Number(isNewKind) - this.#newKinds) / WINDOW
    this.#newWords += (Number(hasNewWord) - this.#newWords) / WINDOW
    return Math.max(0, -Math.log2(share + 1 / 1_024))
  }

  skeletons(skeleton: number, severity: Severity = 0): number {
    return this.#skeletons.get(severity === 0 ? skeleton : withSeverity(skeleton, severity))
  }
}

function withSeverity(skeleton: number, severity: Severity): number {
  return Math.imul(skeleton ^ severity, SEVERITY_FACTOR)
}

const SLOTS = 65_536
const PRIME = 0x01000193
const BASIS = 5381
const RED = 8
const LINE = 16
/** Longest line that can count as repeated, in UTF-16 units. */
const MOST_UNITS = 1_024

/** Matches words of errors and warnings, and red color codes. Only lines with a match can be an error or red. */
const TELLING =
  /err|fatal|fail|panic|critical|severe|exception|abort|crash|warn|deprecated|\u001b\[[\d;]{0,8}[39]1m|;5;(?:1|9|160|196)m/gi

/** Caches the forms of lines. Lines that differ only in numbers and in the time are read only once. */
export class LineForms {
  /**
   * Four numbers for each slot: form, template, weight, and flags (the reported severity, 8 for red, and 16 for each
   * uncounted line).
   */
  readonly #slots = new Int32Array(4 * SLOTS)
  readonly #weights = new Float32Array(this.#slots.buffer)
  readonly #templates: HashCounts
  #window = ''
  #codes: Uint16Array = new Uint16Array(0)
  /** Positions of the next escape sequence and of the next match of `TELLING` in the window. */
  #escape = -1
  #telling = -1
  form = 0

  /** @param templates - Counts of templates, to which cached lines are added. */
  constructor(templates: HashCounts) {
    this.#templates = templates
  }

  open(window: string, codes: Uint16Array): void {
    this.#window = window
    this.#codes = codes
    this.#escape = -1
    this.#telling = -1
  }

  /** Look up a line. Returns its weight and sets fields of `words`, or returns `undefined` if the form is new. */
  find(start: number, end: number, words: LineWords): number | undefined {
    this.form = end - start > MOST_UNITS ? 0 : this.#formOf(start, end) || 1
    const slot = 4 * (this.form & (SLOTS - 1))
    if (this.form === 0 || this.#slots[slot] !== this.form) return undefined
    const flags = (this.#slots[slot + 3]! += LINE)
    words.template = this.#slots[slot + 1]!
    words.severity = (flags & 7) as LineWords['severity']
    words.reports = true
    words.red = (flags & RED) !== 0
    words.blank = false
    return this.#weights[slot + 2]!
  }

  add(words: LineWords, weight: number): void {
    if (this.form === 0) return
    const slot = 4 * (this.form & (SLOTS - 1))
    this.#count(slot)
    this.#slots[slot] = this.form
    this.#slots[slot + 1] = words.template
    this.#weights[slot + 2] = weight
    this.#slots[slot + 3] = (words.reports ? words.severity : 0) | (words.red ? RED : 0)
  }

  finish(): void {
    for (let slot = 0; slot < this.#slots.length; slot += 4) this.#count(slot)
  }

  #count(slot: number): void {
    const lines = this.#slots[slot + 3]! >>> 4
    if (lines > 0) this.#templates.add(this.#slots[slot + 1]!, lines)
  }

  /** Return whether a line may be red, an error, or a warning. */
  isTelling(start: number, end: number): boolean {
    if (this.#telling < start) {
      TELLING.lastIndex = start
      this.#telling = TELLING.test(this.#window) ? TELLING.lastIndex - 1 : Infinity
    }
    return this.#telling < end
  }

  #formOf(start: number, end: number): number {
    const text = this.#window
    const codes = this.#codes
    let hash = BASIS
    let at = afterTime(codes, start, end)
    while (at < end) {
      if (this.#escape < at) {
        this.#escape = text.indexOf('\u001b', at)
        if (this.#escape < 0) this.#escape = Infinity
      }
      const stop = Math.min(end, this.#escape)
      hash = hashForm(hash, codes, at, stop)
      at = stop < end ? escapeEnd(text, stop, end) : end
      // Numbers in escape sequences are colors, so they must not be ignored.
      for (let part = stop; part < at; part++) hash = Math.imul(hash ^ codes[part]!, PRIME)
    }
    return hash
  }
}

/** Hash a line. All numbers except zero are equal. */
function hashForm(before: number, codes: Uint16Array, from: number, to: number): number {
  let hash = before
  /** 1 after zeros, 2 after other digits of a number. */
  let state = 0
  for (let at = from; at < to; at++) {
    const code = codes[at]!
    if (code > 57 || code < 48) {
      hash = Math.imul(hash ^ code, PRIME)
      state = 0
    } else if (state !== 2 && (code !== 48 || state === 0)) {
      state = code === 48 ? 1 : 2
      hash = Math.imul(hash ^ state, PRIME)
    }
  }
  return hash
}
