import { escapeEnd } from '@spillway/text/internal'
import { afterTime, type LineWords, type Severity } from './line-words.ts'

/** Hashes counted at most; the slots are twice as many. */
const MOST_HASHES = 32_768
const FIRST_SLOTS = 512

/** Counts hashes, exactly: once as many different ones are known as fit, new ones are not counted. */
export class HashCounts {
  #hashes = new Int32Array(FIRST_SLOTS)
  #counts = new Uint32Array(FIRST_SLOTS)
  #size = 0

  /** Count one more of a hash, or so many. Returns how many there were by now, or 0 where they are not counted. */
  add(hash: number, times = 1): number {
    const slot = this.#slot(hash)
    if (this.#counts[slot] !== 0) return (this.#counts[slot]! += times)
    if (this.#size >= MOST_HASHES) return 0
    this.#hashes[slot] = hash
    this.#counts[slot] = times
    if (++this.#size * 2 > this.#hashes.length && this.#size < MOST_HASHES) this.#grow()
    return times
  }

  /** How many there were of a hash, or 0 where they are not counted. */
  get(hash: number): number {
    return this.#counts[this.#slot(hash)]!
  }

  /** Where a hash is, or could be. */
  #slot(hash: number): number {
    const mask = this.#hashes.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    while (this.#counts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const hashes = this.#hashes
    const counts = this.#counts
    this.#hashes = new Int32Array(hashes.length * 2)
    this.#counts = new Uint32Array(hashes.length * 2)
    for (const [index, hash] of hashes.entries()) {
      if (counts[index] === 0) continue
      const slot = this.#slot(hash)
      this.#hashes[slot] = hash
      this.#counts[slot] = counts[index]!
    }
  }
}

/** How many of each severity a skeleton has is counted under the skeleton's hash and this factor. */
const SEVERITY_FACTOR = 0x2545f491

/** Lines whose mean tells how much is new at some place in a text, about. */
const WINDOW = 64

/** Counts the words and forms of a text's lines: what is common in a text tells little. */
export class TextCounts {
  readonly words: HashCounts = new HashCounts()
  readonly kinds: HashCounts = new HashCounts()
  readonly shapes: HashCounts = new HashCounts()
  readonly templates: HashCounts = new HashCounts()
  readonly #skeletons = new HashCounts()
  /** Mean shares of lines that began in a new way, and that had new words, lately. */
  #newKinds = 1
  #newWords = 1
  /** Lines that are not blank, and of them the red ones. */
  lines = 0
  red = 0

  /** Count a line. Returns how much of a surprise its beginning or its words are where it stands, in bits from 0 to 10. */
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

  /** How many lines have a skeleton, of a severity if one is given. */
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
/** A longer line is never taken for another. */
const MOST_UNITS = 1_024

/** What words of a line tell that count among errors and warnings, and colors that do: a line without them is neither. */
const TELLING =
  /err|fatal|fail|panic|critical|severe|exception|abort|crash|warn|deprecated|\u001b\[[\d;]{0,8}[39]1m|;5;(?:1|9|160|196)m/gi

/**
 * Remembers what was read of lines, so that the next line of a form is not read again: one that is the same but for its numbers
 * and the time before it. Of two forms with the same slot, the last one is remembered.
 */
export class LineForms {
  /** Of each slot the form, the template, the weight, and the severity, with 8 for red and 16 for each line not counted yet. */
  readonly #slots = new Int32Array(4 * SLOTS)
  readonly #weights = new Float32Array(this.#slots.buffer)
  readonly #templates: HashCounts
  #window = ''
  /** The next places in the window of an escape sequence, and of a telling word. */
  #escape = -1
  #telling = -1
  /** The form of the line that was looked for last. */
  form = 0

  /** @param templates - Where lines are counted that are not read again. */
  constructor(templates: HashCounts) {
    this.#templates = templates
  }

  /** Go on with the lines of another window. */
  open(window: string): void {
    this.#window = window
    this.#escape = -1
    this.#telling = -1
  }

  /** Look for the form of a line. Returns its weight, and tells `words` what is known; `undefined` if it is new. */
  find(start: number, end: number, words: LineWords): number | undefined {
    this.form = end - start > MOST_UNITS ? 0 : this.#formOf(start, end) || 1
    const slot = 4 * (this.form & (SLOTS - 1))
    if (this.form === 0 || this.#slots[slot] !== this.form) return undefined
    const flags = (this.#slots[slot + 3]! += LINE)
    words.template = this.#slots[slot + 1]!
    words.severity = (flags & 7) as LineWords['severity']
    words.red = (flags & RED) !== 0
    words.blank = false
    return this.#weights[slot + 2]!
  }

  /** Remember what was read of the line that was looked for last. */
  add(words: LineWords, weight: number): void {
    if (this.form === 0) return
    const slot = 4 * (this.form & (SLOTS - 1))
    this.#count(slot)
    this.#slots[slot] = this.form
    this.#slots[slot + 1] = words.template
    this.#weights[slot + 2] = weight
    this.#slots[slot + 3] = words.severity | (words.red ? RED : 0)
  }

  /** Count the lines that have not been counted yet. */
  finish(): void {
    for (let slot = 0; slot < this.#slots.length; slot += 4) this.#count(slot)
  }

  #count(slot: number): void {
    const lines = this.#slots[slot + 3]! >>> 4
    if (lines > 0) this.#templates.add(this.#slots[slot + 1]!, lines)
  }

  /** Whether a line may be an error or a warning, or red. */
  isTelling(start: number, end: number): boolean {
    if (this.#telling < start) {
      TELLING.lastIndex = start
      this.#telling = TELLING.test(this.#window) ? TELLING.lastIndex - 1 : Infinity
    }
    return this.#telling < end
  }

  #formOf(start: number, end: number): number {
    const text = this.#window
    let hash = BASIS
    let at = afterTime(text, start, end)
    while (at < end) {
      if (this.#escape < at) {
        this.#escape = text.indexOf('\u001b', at)
        if (this.#escape < 0) this.#escape = Infinity
      }
      const stop = Math.min(end, this.#escape)
      hash = hashForm(hash, text, at, stop)
      at = stop < end ? escapeEnd(text, stop, end) : end
      // Their numbers are colors.
      for (let part = stop; part < at; part++) hash = Math.imul(hash ^ text.charCodeAt(part), PRIME)
    }
    return hash
  }
}

/** Add the characters of a text to a hash, all numbers alike, save for zero. */
function hashForm(before: number, text: string, from: number, to: number): number {
  let hash = before
  /** 1 within zeros, 2 within another number. */
  let state = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
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
