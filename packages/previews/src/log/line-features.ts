import { FEATURE, featureOf, type LineModel } from './line-model.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { ERROR, LineWords, NUMBER, ZERO } from './line-words.ts'
import type { TextCounts } from './text-counts.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Largest number of tokens in a line, and their length. */
const MOST_TOKENS = 40
const TOKEN_UNITS = 32

interface ReadLine extends Pick<LineWords, 'kind' | 'shape' | 'skeleton' | 'template' | 'severity'> {
  readonly words: Int32Array
  /** Hashes of the line's parts between blanks. */
  readonly tokens: readonly number[]
}

export function readLines(lines: readonly ScannedLine[]): ReadLine[] {
  const words = new LineWords()
  return lines.map(({ text, end }) => {
    const line = end === '' ? text : `${text} ${end}`
    words.read(line, 0, line.length)
    const { kind, shape, skeleton, template, severity } = words
    return {
      words: words.words.slice(0, words.count),
      tokens: tokensOf(line),
      kind,
      shape,
      skeleton,
      template,
      severity,
    }
  })
}

/** Returns hashes of the parts between blanks. Case and punctuation matter, but all numbers are equal. */
function tokensOf(line: string): number[] {
  const tokens: number[] = []
  let hash = 0
  let units = 0
  for (let at = 0; at <= line.length && tokens.length < MOST_TOKENS; at++) {
    const code = at < line.length ? line.charCodeAt(at) : 32
    if (code !== 32 && code !== 9) {
      const isDigit = code > 47 && code < 58
      if (!isDigit || !(line.charCodeAt(at - 1) > 47 && line.charCodeAt(at - 1) < 58))
        hash = (Math.imul(hash, 31) + (isDigit ? 48 : code)) | 0
      units++
    } else if (units > 0) {
      if (units <= TOKEN_UNITS) tokens.push(hash)
      hash = 0
      units = 0
    }
  }
  return tokens
}

const PRIME = 0x01000193
/** Stands for any run of rare words. */
const RARE = 0x2a
/** Shares of lines from which a word is common. Each share gives a separate view of the line. */
const COMMON_SHARES = [1 / 4, 1 / 16]
/** Largest number of unusual lines, and the largest share of all lines. */
const MOST_ODD = 4
const LEAST_RATIO = 64

/**
 * For each view, returns how many lines have a form that is at most as frequent as this line's. A form is the sequence
 * of its common words.
 */
export function formRanks(lines: readonly ReadLine[], counts: TextCounts): Float64Array[] {
  return COMMON_SHARES.map((share) => ranksOf(lines.map(({ words }) => formOf(words, counts, counts.lines * share))))
}

export function oddLines(ranks: readonly Float64Array[]): Set<number> {
  return new Set(
    ranks.flatMap((view) =>
      [...view.keys()].filter((index) => view[index]! <= Math.min(MOST_ODD, view.length / LEAST_RATIO)),
    ),
  )
}

function formOf(words: Int32Array, counts: TextCounts, least: number): number {
  let form = 0
  let isAfterRare = false
  for (const read of words) {
    // A count that begins at 0 is not odd; one failure is, if all others have 0.
    const word = read === ZERO && counts.words.get(ZERO) < least ? NUMBER : read
    const isRare = counts.words.get(word) < least
    if (!isRare || !isAfterRare) form = Math.imul(form ^ (isRare ? RARE : word), PRIME)
    isAfterRare = isRare
  }
  return form
}

function ranksOf(forms: readonly number[]): Float64Array {
  const counts = new Map<number, number>()
  for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1)
  /** Number of lines by the frequency of their form, and then its running total. */
  const upTo = new Map<number, number>()
  for (const count of counts.values()) upTo.set(count, (upTo.get(count) ?? 0) + count)
  let sum = 0
  for (const count of [...upTo.keys()].toSorted((one, other) => one - other)) {
    sum += upTo.get(count)!
    upTo.set(count, sum)
  }
  return Float64Array.from(forms, (form) => upTo.get(counts.get(form)!)!)
}

/** Largest distance of neighbors whose words are features. */
const NEAR_LINES = 4
const MOST_DISTANCE = 6
/** Number of neighbors that are checked for being unique in the text. */
const UNIQUE_LINES = 4
/** Matches a position in a source file, such as `src/a.c:118`, `a.cs(3,5)`. */
const LOCATION = /[\w)-]\.[a-zA-Z]{1,5}(?::\d+|\(\d+[,)])/
const EXCEPTION = /[a-z](?:Error|Exception|Failure)\b/
const SLOTS = 1_024

/** Computes features of kept lines, as hashes. */
export class LineFeatures {
  readonly #scan: TextScan
  readonly #lines: readonly ScannedLine[]
  readonly #read: readonly ReadLine[]
  /** Results of {@link formRanks}. */
  readonly ranks: readonly Float64Array[]
  readonly #found = new Int32Array(SLOTS)
  #count = 0
  readonly #slots = new Int32Array(SLOTS)

  /** @param lines - Kept lines without common prefixes, with their words. */
  constructor(scan: TextScan, lines: readonly ScannedLine[], read: readonly ReadLine[]) {
    this.#scan = scan
    this.#lines = lines
    this.#read = read
    this.ranks = formRanks(read, scan.counts)
  }

  /** Returns each feature once. The array is reused by the next call. */
  of(index: number): Int32Array {
    this.#count = 0
    this.#slots.fill(0)
    this.#addWords(index)
    this.#addPlace(index)
    this.#addCounts(index)
    return this.#found.subarray(0, this.#count)
  }

  #addWords(index: number): void {
    const { words } = this.#read[index]!
    for (let at = 0; at < words.length; at++) {
      this.add(FEATURE.word, words[at]!)
      if (at > 0) this.add(FEATURE.pair, pairOf(words[at - 1]!, words[at]!))
    }
    if (words.length > 0) {
      this.add(FEATURE.first, words[0]!)
      this.add(FEATURE.last, words.at(-1)!)
    }
    if (words.length > 1) this.add(FEATURE.firstPair, pairOf(words[0]!, words[1]!))
    for (const token of this.#read[index]!.tokens) this.add(FEATURE.token, token)
    const { number } = this.#lines[index]!
    for (let distance = 1; distance <= NEAR_LINES; distance++) {
      this.#addNear(FEATURE.before, FEATURE.tokenBefore, index - distance, number)
      this.#addNear(FEATURE.after, FEATURE.tokenAfter, index + distance, number)
    }
  }

  #addNear(about: number, aboutTokens: number, index: number, number: number): void {
    const line = this.#lines[index]
    if (line === undefined || Math.abs(line.number - number) > MOST_DISTANCE) {
      this.add(about, 0)
      return
    }
    for (const word of this.#read[index]!.words) this.add(about, word)
    for (const token of this.#read[index]!.tokens) this.add(aboutTokens, token)
  }

  #addPlace(index: number): void {
    const { number, text, red, blanksBefore } = this.#lines[index]!
    const { lines, counts } = this.#scan
    this.add(FEATURE.fromEnd, steps(lines - number))
    this.add(FEATURE.fromStart, steps(number - 1))
    this.add(FEATURE.place, Math.floor((10 * (number - 1)) / lines))
    this.add(FEATURE.length, steps(text.length))
    this.add(FEATURE.indent, steps(text.length - text.trimStart().length))
    this.add(FEATURE.blanks, Math.min(blanksBefore, 3))
    if (red) {
      this.add(FEATURE.red, 0)
      this.add(FEATURE.red, 1 + steps(counts.red))
    }
    const looked = text.slice(0, 1_000)
    if (LOCATION.test(looked)) this.add(FEATURE.location, 0)
    if (EXCEPTION.test(looked)) this.add(FEATURE.exception, 0)
  }

  #addCounts(index: number): void {
    const { counts } = this.#scan
    const { words, kind, shape, template, skeleton, severity } = this.#read[index]!
    this.add(FEATURE.templates, steps(counts.templates.get(template)))
    this.add(FEATURE.shapes, steps(counts.shapes.get(shape)))
    this.add(FEATURE.kinds, steps(counts.kinds.get(kind)))
    for (const [view, ranks] of this.ranks.entries()) {
      this.add(FEATURE.unlike, (view << 8) | Math.floor(Math.log2(ranks.length / ranks[index]!)))
      this.add(FEATURE.alike, (view << 8) | steps(ranks[index]!))
    }
    let rarest = Infinity
    let rare = 0
    let fresh = 0
    let sum = 0
    for (const word of words) {
      // A word beyond the counting limit is not one of the first.
      const count = counts.words.get(word) || 4
      if (count < rarest) rarest = count
      if (count <= 2) fresh++
      if (count <= 3) rare++
      sum += Math.log2(count)
    }
    if (words.length > 0) {
      this.add(FEATURE.rarest, steps(rarest))
      this.add(FEATURE.newWords, Math.min(fresh, 6))
      this.add(FEATURE.rareWords, Math.min(rare, 6))
      this.add(FEATURE.meanCount, Math.round(sum / words.length))
    }
    let unique = 0
    for (let near = Math.max(0, index - UNIQUE_LINES); near <= index + UNIQUE_LINES && near < this.#read.length; near++)
      if (counts.templates.get(this.#read[near]!.template) === 1) unique++
    this.add(FEATURE.uniqueNear, unique)
    const alike = counts.skeletons(skeleton)
    this.add(FEATURE.skeletons, steps(alike))
    this.add(FEATURE.severity, severity)
    if (severity === 0) return
    const same = counts.skeletons(skeleton, severity)
    const share = Math.min(6, Math.floor(Math.log2(Math.max(1, alike) / Math.max(1, same))))
    this.add(FEATURE.odd, (severity << 8) | (share << 4) | Math.min(8, Math.floor(Math.log2(alike + 1))))
    if (severity === ERROR) this.add(FEATURE.errors, steps(this.#scan.errors))
  }

  protected add(about: number, value: number): void {
    const feature = featureOf(about, value) || 1
    let slot = feature & (SLOTS - 1)
    while (this.#slots[slot] !== 0) {
      if (this.#slots[slot] === feature) return
      slot = (slot + 1) & (SLOTS - 1)
    }
    this.#slots[slot] = feature
    this.#found[this.#count++] = feature
  }
}

const pairOf = (one: number, other: number): number => Math.imul(one, 31) ^ other

/** Rounds a number: there are two steps for each doubling. */
function steps(count: number): number {
  const value = 1 + Math.max(0, count)
  const doublings = 31 - Math.clz32(value)
  return 2 * doublings + (value * value >= 2 ** (2 * doublings + 1) ? 1 : 0)
}

export function lineScores(scan: TextScan, model: LineModel): LineScores {
  const cut = cutPrefixes(scan.kept, true)
  const { lines } = cut
  const features = new LineFeatures(scan, lines, readLines(lines))
  const scores = new Map(
    lines.map(({ number }, index) => {
      let weight = model.bias
      for (const feature of features.of(index)) weight += model.weightOf(feature)
      return [number, 1 / (1 + Math.exp(-weight))]
    }),
  )
  return { ...cut, scores, odd: new Set([...oddLines(features.ranks)].map((index) => lines[index]!.number)) }
}
