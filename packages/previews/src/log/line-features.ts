import { TextCodes } from '@spillway/text/internal'
import { FEATURE, featureOf, type LineModel } from './line-model.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { ERROR, LineWords, MOST_WORDS, NUMBER, ZERO } from './line-words.ts'
import { HashIds, type TextCounts } from './text-counts.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Largest number of tokens in a line, and their length. */
const MOST_TOKENS = 40
const TOKEN_UNITS = 32

interface ReadLine extends Pick<LineWords, 'kind' | 'shape' | 'skeleton' | 'template' | 'severity'> {
  /** Ids of the words, and of the parts between blanks. */
  readonly words: readonly number[]
  readonly tokens: readonly number[]
}

/** Kept lines of a text. Each hash has an id, so that its weights are looked up only once. */
interface ReadLines {
  readonly lines: readonly ReadLine[]
  readonly words: HashIds
  readonly tokens: HashIds
}

export function readLines(lines: readonly ScannedLine[]): ReadLines {
  const read = new LineWords()
  const codes = new TextCodes()
  const words = new HashIds()
  const tokens = new HashIds()
  const hashes = new Int32Array(MOST_TOKENS)
  return {
    lines: lines.map(({ text, end }) => {
      const line = end === '' ? text : `${text} ${end}`
      const units = codes.of(line)
      read.read(line, 0, line.length, units)
      const { kind, shape, skeleton, template, severity } = read
      return {
        words: words.ofAll(read.words, read.count),
        tokens: tokens.ofAll(hashes, readTokens(units, hashes)),
        kind,
        shape,
        skeleton,
        template,
        severity,
      }
    }),
    words,
    tokens,
  }
}

/** Writes hashes of the parts between blanks, and returns their number. All numbers are equal. */
function readTokens(codes: Uint16Array, tokens: Int32Array): number {
  let count = 0
  let hash = 0
  let units = 0
  for (let at = 0; at <= codes.length && count < MOST_TOKENS; at++) {
    const code = at < codes.length ? codes[at]! : 32
    if (code !== 32 && code !== 9) {
      const isDigit = code > 47 && code < 58
      if (!isDigit || at === 0 || codes[at - 1]! < 48 || codes[at - 1]! > 57)
        hash = (Math.imul(hash, 31) + (isDigit ? 48 : code)) | 0
      units++
    } else if (units > 0) {
      if (units <= TOKEN_UNITS) tokens[count++] = hash
      hash = 0
      units = 0
    }
  }
  return count
}

const PRIME = 0x01000193
/** Stands for any run of rare words. */
const RARE = 0x2a
/** Shares of lines from which a word is common. Each share gives a separate view of the line. */
const COMMON_SHARES = [1 / 4, 1 / 16]
/** Largest number of unusual lines, and the largest share of all lines. */
const MOST_ODD = 4
const LEAST_RATIO = 64

/** For each view, returns how many lines have a form as rare as this line's. A form is the common words in order. */
export function formRanks({ lines, words }: ReadLines, counts: TextCounts): Float64Array[] {
  return COMMON_SHARES.map((share) => {
    const least = counts.lines * share
    // A count that begins at 0 is not odd; one failure is, if all others have 0.
    const marks = words.hashes.map((hash) => {
      const word = hash === ZERO && counts.words.get(ZERO) < least ? NUMBER : hash
      return counts.words.get(word) < least ? RARE : word
    })
    return ranksOf(lines.map((line) => formOf(line.words, marks)))
  })
}

export function oddLines(ranks: readonly Float64Array[]): Set<number> {
  return new Set(
    ranks.flatMap((view) =>
      [...view.keys()].filter((index) => view[index]! <= Math.min(MOST_ODD, view.length / LEAST_RATIO)),
    ),
  )
}

/** @param marks - For each word, its hash if it is common, otherwise `RARE`. */
function formOf(words: readonly number[], marks: Int32Array): number {
  let form = 0
  let before = 0
  for (const word of words) {
    const mark = marks[word]!
    if (mark !== RARE || before !== RARE) form = Math.imul(form ^ mark, PRIME)
    before = mark
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
  return new Float64Array(forms.map((form) => upTo.get(counts.get(form)!)!))
}

/** Largest distance of neighbors whose words are features. */
const NEAR_LINES = 4
const MOST_DISTANCE = 6
/** Number of neighbors that are checked for being unique in the text. */
const UNIQUE_LINES = 4
/** Matches a position in a source file, such as `src/a.c:118`, `a.cs(3,5)`. */
const LOCATION = /[\w)-]\.[a-zA-Z]{1,5}(?::\d+|\(\d+[,)])/
const EXCEPTION = /[a-z](?:Error|Exception|Failure)\b/

/** Weights of one kind of feature by id, and the last line that has it. */
interface IdWeights {
  readonly about: number
  readonly hashes: Int32Array
  readonly weights: Float64Array
  readonly lines: Int32Array
}

function weightsOf(about: number, { hashes }: HashIds, model: LineModel): IdWeights {
  const weights = new Float64Array(hashes.length)
  for (let id = 0; id < hashes.length; id++) weights[id] = model.weightOf(featureOf(about, hashes[id]!))
  return { about, hashes, weights, lines: new Int32Array(hashes.length) }
}

/** Computes features of kept lines and the sum of their weights. */
export class LineFeatures {
  readonly #scan: TextScan
  readonly #lines: readonly ScannedLine[]
  readonly #read: ReadLines
  readonly #model: LineModel
  /** Results of {@link formRanks}. */
  readonly ranks: readonly Float64Array[]
  readonly #words: IdWeights
  readonly #tokens: IdWeights
  readonly #before: readonly [words: IdWeights, tokens: IdWeights]
  readonly #after: readonly [words: IdWeights, tokens: IdWeights]
  readonly #pairs = new Int32Array(MOST_WORDS)
  #line = 0
  #weight = 0

  /** @param lines - Kept lines without common prefixes. */
  constructor(scan: TextScan, lines: readonly ScannedLine[], model: LineModel) {
    const read = readLines(lines)
    const { words, tokens } = read
    this.#scan = scan
    this.#lines = lines
    this.#read = read
    this.#model = model
    this.ranks = formRanks(read, scan.counts)
    this.#words = weightsOf(FEATURE.word, words, model)
    this.#tokens = weightsOf(FEATURE.token, tokens, model)
    this.#before = [weightsOf(FEATURE.before, words, model), weightsOf(FEATURE.tokenBefore, tokens, model)]
    this.#after = [weightsOf(FEATURE.after, words, model), weightsOf(FEATURE.tokenAfter, tokens, model)]
  }

  /** Returns the sum of the weights of the line's features, each counted once. */
  weightOf(index: number): number {
    this.#line = index + 1
    this.#weight = this.#model.bias
    this.#addWords(index)
    this.#addPlace(index)
    this.#addCounts(index)
    return this.#weight
  }

  #addWords(index: number): void {
    const { words, tokens } = this.#read.lines[index]!
    const { hashes } = this.#words
    for (const word of words) this.#addOnce(this.#words, word)
    for (let at = 1; at < words.length; at++) {
      const pair = pairOf(hashes[words[at - 1]!]!, hashes[words[at]!]!)
      this.#pairs[at] = pair
      if (this.#pairs.indexOf(pair, 1) === at) this.#add(FEATURE.pair, pair)
    }
    if (words.length > 0) {
      this.#add(FEATURE.first, hashes[words[0]!]!)
      this.#add(FEATURE.last, hashes[words.at(-1)!]!)
    }
    if (words.length > 1) this.#add(FEATURE.firstPair, this.#pairs[1]!)
    for (const token of tokens) this.#addOnce(this.#tokens, token)
    this.#addNear(this.#before, index, -1)
    this.#addNear(this.#after, index, 1)
  }

  #addNear([words, tokens]: readonly [IdWeights, IdWeights], index: number, step: 1 | -1): void {
    const { number } = this.#lines[index]!
    for (let near = index + step; Math.abs(near - index) <= NEAR_LINES; near += step) {
      const line = this.#lines[near]
      if (line === undefined || Math.abs(line.number - number) > MOST_DISTANCE) {
        this.#add(words.about, 0)
        return
      }
      for (const word of this.#read.lines[near]!.words) this.#addOnce(words, word)
      for (const token of this.#read.lines[near]!.tokens) this.#addOnce(tokens, token)
    }
  }

  #addOnce({ about, hashes, weights, lines }: IdWeights, id: number): void {
    if (lines[id] === this.#line) return
    lines[id] = this.#line
    this.found(about, hashes[id]!, weights[id]!)
  }

  #addPlace(index: number): void {
    const { number, text, red, blanksBefore } = this.#lines[index]!
    const { lines, counts } = this.#scan
    this.#add(FEATURE.fromEnd, steps(lines - number))
    this.#add(FEATURE.fromStart, steps(number - 1))
    this.#add(FEATURE.place, Math.floor((10 * (number - 1)) / lines))
    this.#add(FEATURE.length, steps(text.length))
    this.#add(FEATURE.indent, steps(text.length - text.trimStart().length))
    this.#add(FEATURE.blanks, Math.min(blanksBefore, 3))
    if (red) {
      this.#add(FEATURE.red, 0)
      this.#add(FEATURE.red, 1 + steps(counts.red))
    }
    const looked = text.slice(0, 1_000)
    if (LOCATION.test(looked)) this.#add(FEATURE.location, 0)
    if (EXCEPTION.test(looked)) this.#add(FEATURE.exception, 0)
  }

  #addCounts(index: number): void {
    const { counts } = this.#scan
    const { words, kind, shape, template, skeleton, severity } = this.#read.lines[index]!
    this.#add(FEATURE.templates, steps(counts.templates.get(template)))
    this.#add(FEATURE.shapes, steps(counts.shapes.get(shape)))
    this.#add(FEATURE.kinds, steps(counts.kinds.get(kind)))
    for (const [view, ranks] of this.ranks.entries()) {
      this.#add(FEATURE.unlike, (view << 8) | Math.floor(Math.log2(ranks.length / ranks[index]!)))
      this.#add(FEATURE.alike, (view << 8) | steps(ranks[index]!))
    }
    let rarest = Infinity
    let rare = 0
    let fresh = 0
    let sum = 0
    for (const word of words) {
      // A word beyond the counting limit is not one of the first.
      const count = counts.words.get(this.#words.hashes[word]!) || 4
      if (count < rarest) rarest = count
      if (count <= 2) fresh++
      if (count <= 3) rare++
      sum += Math.log2(count)
    }
    if (words.length > 0) {
      this.#add(FEATURE.rarest, steps(rarest))
      this.#add(FEATURE.newWords, Math.min(fresh, 6))
      this.#add(FEATURE.rareWords, Math.min(rare, 6))
      this.#add(FEATURE.meanCount, Math.round(sum / words.length))
    }
    let unique = 0
    for (
      let near = Math.max(0, index - UNIQUE_LINES);
      near <= index + UNIQUE_LINES && near < this.#read.lines.length;
      near++
    )
      if (counts.templates.get(this.#read.lines[near]!.template) === 1) unique++
    this.#add(FEATURE.uniqueNear, unique)
    const alike = counts.skeletons(skeleton)
    this.#add(FEATURE.skeletons, steps(alike))
    this.#add(FEATURE.severity, severity)
    if (severity === 0) return
    const same = counts.skeletons(skeleton, severity)
    const share = Math.min(6, Math.floor(Math.log2(Math.max(1, alike) / Math.max(1, same))))
    this.#add(FEATURE.odd, (severity << 8) | (share << 4) | Math.min(8, Math.floor(Math.log2(alike + 1))))
    if (severity === ERROR) this.#add(FEATURE.errors, steps(this.#scan.errors))
  }

  #add(about: number, value: number): void {
    this.found(about, value, this.#model.weightOf(featureOf(about, value)))
  }

  protected found(_about: number, _value: number, weight: number): void {
    this.#weight += weight
  }
}

const pairOf = (one: number, other: number): number => Math.imul(one, 31) ^ other

/** Rounds a number: there are two steps for each doubling. */
function steps(count: number): number {
  const value = 1 + Math.max(0, count)
  const doublings = 31 - Math.clz32(value)
  return 2 * doublings + (value * value >= 2 ** (2 * doublings + 1) ? 1 : 0)
}

/** Largest number of lines that get a score, and of those at each end that always do. */
const SCORED_LINES = 384
const SCORED_ENDS = 32
/** Decrease of a line's rank for each doubling of the number of lines like it. */
const ALIKE_RANK = 0.125

/** Returns indexes of the lines with the highest ranks, and of those at both ends. Features of all lines would cost too much. */
function scoredLines(lines: readonly ScannedLine[], ranks: readonly Float64Array[]): Iterable<number> {
  if (lines.length <= SCORED_LINES) return lines.keys()
  const worth = lines.map(({ rank, repeats }, index) => {
    const alike = ranks.reduce((product, view) => product * view[index]!, repeats)
    return rank - ALIKE_RANK * Math.log2(alike)
  })
  const indexes = [...lines.keys()]
  const ends = [...indexes.slice(0, SCORED_ENDS), ...indexes.slice(-SCORED_ENDS)]
  const best = indexes.toSorted((one, other) => worth[other]! - worth[one]! || one - other)
  return new Set([...ends, ...best.slice(0, SCORED_LINES - ends.length)])
}

export function lineScores(scan: TextScan, model: LineModel): LineScores {
  const cut = cutPrefixes(scan.kept, true)
  const { lines } = cut
  const features = new LineFeatures(scan, lines, model)
  const scores = new Map<number, number>()
  for (const index of scoredLines(lines, features.ranks))
    scores.set(lines[index]!.number, 1 / (1 + Math.exp(-features.weightOf(index))))
  return { ...cut, scores, odd: new Set([...oddLines(features.ranks)].map((index) => lines[index]!.number)) }
}
