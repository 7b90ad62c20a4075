import { FEATURE, featureOf } from './line-model.ts'
import { formRanks } from './odd-lines.ts'
import type { ReadLine } from './read-line.ts'
import { ERROR } from './severity.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Lines before and after one whose words tell about it, and how far away they may be. */
const NEAR_LINES = 4
const MOST_DISTANCE = 6
/** Lines on both sides that are looked at for whether they stand alone in the text. */
const UNIQUE_LINES = 4

/** A place in a source file: `src/a.c:118`, `a.cs(3,5)`. */
const LOCATION = /[\w)-]\.[a-zA-Z]{1,5}(?::\d+|\(\d+[,)])/
/** The name of an exception. */
const EXCEPTION = /[a-z](?:Error|Exception|Failure)\b/

/** Slots that tell which features a line has already. */
const SLOTS = 1_024

/** Works out the features of the kept lines of a text, as hashes. */
export class LineFeatures {
  readonly #scan: TextScan
  readonly #lines: readonly ScannedLine[]
  readonly #read: readonly ReadLine[]
  /** How rare the form of each line is, as of {@link formRanks}. */
  readonly ranks: readonly Float64Array[]
  readonly #found = new Int32Array(SLOTS)
  #count = 0
  readonly #slots = new Int32Array(SLOTS)

  /** @param lines - The kept lines, without what stands before all of them, and what was read of each. */
  constructor(scan: TextScan, lines: readonly ScannedLine[], read: readonly ReadLine[]) {
    this.#scan = scan
    this.#lines = lines
    this.#read = read
    this.ranks = formRanks(read, scan.counts)
  }

  /** The features of one line, each once. The array serves one call only. */
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

  /** How common the line, its forms, and its words are in the text. */
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
      // A word that is not counted any more is none of the first ones.
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

  /** Add a feature of the current line. */
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

/** A number by steps that grow with it: two for each doubling. */
const steps = (value: number): number => Math.floor(2 * Math.log2(1 + Math.max(0, value)))
