import { TextCodes } from '@spillway/text/internal'
import { FEATURE, featureOf, type LineModel } from './line-model.ts'
import { cutPrefixes } from './line-prefixes.ts'
import { ERROR, LineWords, MOST_WORDS, NUMBER, ZERO } from './line-words.ts'
import { HashCounts, HashIds, type TextCounts } from './text-counts.ts'
import type { LineScores, ScannedLine, TextScan } from './text-scan.ts'

/** Largest number of tokens in a line that are read, and largest length of a token. */
const MOST_TOKENS = 40
const TOKEN_UNITS = 32

/** The kept lines of a text. Each distinct hash has an id, so that its weight is looked up only once. */
interface ReadLines {
  readonly lines: readonly Pick<LineWords, 'kind' | 'shape' | 'skeleton' | 'template' | 'severity'>[]
  readonly words: HashIds
  /** Parts of the lines that are separated by blanks. */
  readonly tokens: HashIds
}

export function readLines(lines: readonly ScannedLine[]): ReadLines {
  const read = new LineWords()
  const words = new HashIds()
  const tokens = new HashIds()
  const hashes = new Int32Array(MOST_TOKENS)
  const texts = lines.map(({ text, end }) => (end === '' ? text : `${text} ${end}`))
  const all = texts.join('\n')
  const codes = new TextCodes().of(all)
  let start = 0
  return {
    lines: texts.map(({ length }) => {
      read.read(all, start, start + length, codes)
      words.addLine(read.words, read.count)
      tokens.addLine(hashes, readTokens(codes, start, start + length, hashes))
      start += length + 1
      const { kind, shape, skeleton, template, severity } = read
      return { kind, shape, skeleton, template, severity }
    }),
    words,
    tokens,
  }
}

/** Write hashes of the blank-separated parts of a line, and return their number. All numbers have the same hash. */
function readTokens(codes: Uint16Array, start: number, end: number, tokens: Int32Array): number {
  let count = 0
  let hash = 0
  let units = 0
  let wasDigit = false
  for (let at = start; at <= end && count < MOST_TOKENS; at++) {
    const code = at < end ? codes[at]! : 32
    const isDigit = code > 47 && code < 58
    if (code !== 32 && code !== 9) {
      if (!isDigit || !wasDigit) hash = (Math.imul(hash, 31) + (isDigit ? 48 : code)) | 0
      units++
    } else if (units > 0) {
      if (units <= TOKEN_UNITS) tokens[count++] = hash
      hash = 0
      units = 0
    }
    wasDigit = isDigit
  }
  return count
}

const PRIME = 0x01000193
/** Hash of any run of rare words. */
const RARE = 0x2a
/** Shares of lines from which a word counts as common. Each share gives a separate view of the lines. */
const COMMON_SHARES = [1 / 4, 1 / 16]
/** The same for lines with numbers and names that vary much. Weights are not fitted for this view. */
const MOST_COMMON = 1 / 2
/** Largest number of unusual lines, and the smallest ratio of all lines to unusual lines. */
const MOST_ODD = 4
const LEAST_RATIO = 64

/** Return the rank of each line: the number of lines whose form (common words in order) is at least as rare. */
function formRanks({ lines, words }: ReadLines, counts: readonly number[], all: TextCounts, share: number) {
  const least = all.lines * share
  const number = all.words.get(NUMBER) < least ? RARE : NUMBER
  const marks = words.hashes.map((hash, id) => {
    const count = counts[id]!
    // In a counter from 0, the zero is not unusual. A count of failures is unusual if all other lines have 0.
    if (hash === ZERO && (share === MOST_COMMON || count < least)) return number
    return count < least ? RARE : hash
  })
  return ranksOf(lines.map((_, index) => formOf(words, index, marks)))
}

function oddLines(ranks: readonly Float64Array[]): Set<number> {
  const odd = new Set<number>()
  for (const view of ranks) {
    const most = Math.min(MOST_ODD, view.length / LEAST_RATIO)
    for (let index = 0; index < view.length; index++) if (view[index]! <= most) odd.add(index)
  }
  return odd
}

/** Largest number of different values of a number that counts as a word, for example a status, and its form. */
const MOST_VALUES = 16
const NUMBER_WORD = /^\d{1,4}$/
const HAS_NUMBER_WORD = /(?:^| )\d{1,4}(?: |$)/
/** Smallest share of lines that have such a number at the same place. */
const NUMBER_SHARE = 0.9

/** Return the indexes of lines with a rare number at a place where nearly all lines have one of a few numbers. */
export function rareNumbers(lines: readonly Pick<ScannedLine, 'text'>[]): Set<number> {
  const places: { readonly values: Map<string, number[]>; seen: number }[] = []
  const leastSeen = lines.length * NUMBER_SHARE
  let mostSeen = 0
  for (const [index, { text }] of lines.entries()) {
    if (mostSeen + lines.length - index < leastSeen) return new Set()
    const tokens = HAS_NUMBER_WORD.test(text) ? text.split(' ', MOST_TOKENS) : []
    for (let place = 0; place < tokens.length; place++) {
      const token = tokens[place]!
      if (token.length > 4 || !NUMBER_WORD.test(token)) continue
      const found = (places[place] ??= { values: new Map(), seen: 0 })
      if (found.values.size > MOST_VALUES) continue
      mostSeen = Math.max(mostSeen, ++found.seen)
      const indexes = found.values.get(token)
      if (indexes === undefined) found.values.set(token, [index])
      else indexes.push(index)
    }
  }
  const most = Math.min(MOST_ODD, lines.length / LEAST_RATIO)
  const rare = places.filter(Boolean).flatMap(({ values, seen }) => {
    const isStatus = values.size <= MOST_VALUES && seen >= leastSeen
    return isStatus ? [...values.values()].filter(({ length }) => length <= most) : []
  })
  return new Set(rare.flat())
}

/** @param marks - For each word, its hash if the word is common, otherwise `RARE`. */
function formOf({ ids, starts }: HashIds, line: number, marks: readonly number[]): number {
  let form = 0
  let before = 0
  for (let at = starts[line]!; at < starts[line + 1]!; at++) {
    const mark = marks[ids[at]!]!
    if (mark !== RARE || before !== RARE) form = Math.imul(form ^ mark, PRIME)
    before = mark
  }
  return form
}

function ranksOf(forms: readonly number[]): Float64Array {
  const counts = new HashCounts(Infinity)
  for (const form of forms) counts.add(form)
  /** For each frequency of a form, the number of lines with at most this frequency. */
  const upTo = new Float64Array(forms.length + 1)
  for (const form of forms) upTo[counts.get(form)]!++
  for (let count = 1; count < upTo.length; count++) upTo[count]! += upTo[count - 1]!
  return new Float64Array(forms.map((form) => upTo[counts.get(form)]!))
}

/** Largest number of neighbors on each side whose words are features, and their largest distance in lines. */
const NEAR_LINES = 4
const MOST_DISTANCE = 6
/** Number of neighbors on each side that are checked for being unique in the text. */
const UNIQUE_LINES = 4
/** Matches a position in a source file, for example `src/a.c:118` or `a.cs(3,5)`. */
const LOCATION = /[\w)-]\.[a-zA-Z]{1,5}(?::\d+|\(\d+[,)])/
const EXCEPTION = /[a-z](?:Error|Exception|Failure)\b/

/** Weights of one kind of feature by id, and for each id the last line that had the feature. */
interface IdWeights extends Pick<HashIds, 'starts' | 'hashes'> {
  readonly about: number
  /** Ids of all lines that have a weight in one of several kinds. Most ids have no weight. */
  readonly ids: Int32Array
  readonly weights: Float64Array
  readonly lines: Int32Array
}

/** Return the weights of each of several kinds of features with the same ids. */
function weightsOf(
  kinds: readonly number[],
  { ids, starts, hashes }: HashIds,
  model: LineModel,
  listsAll: boolean,
): readonly IdWeights[] {
  const weights = kinds.map((kind) => new Float64Array(hashes.map((hash) => model.weightOf(featureOf(kind, hash)))))
  const isKept = hashes.map((_, id) => listsAll || weights.some((own) => own[id] !== 0))
  const kept = new Int32Array(starts.at(-1)!)
  let count = 0
  const keptStarts = starts.map((end, line) => {
    for (let at = starts[line - 1] ?? end; at < end; at++) if (isKept[ids[at]!] === true) kept[count++] = ids[at]!
    return count
  })
  const all = { ids: kept, starts: keptStarts, hashes }
  return weights.map((own, at) => ({ ...all, about: kinds[at]!, weights: own, lines: new Int32Array(own.length) }))
}

/** Computes the features of kept lines and the sum of their weights. */
export class LineFeatures {
  readonly #scan: TextScan
  readonly #lines: readonly ScannedLine[]
  readonly #read: ReadLines
  readonly #model: LineModel
  /** Ranks of the lines for each view. */
  readonly ranks: readonly Float64Array[]
  readonly odd: ReadonlySet<number>
  /** Weights for each place: in the line itself, before it, and after it. */
  readonly #words: readonly IdWeights[]
  readonly #tokens: readonly IdWeights[]
  /** Number of times that the text has each word of the lines. */
  readonly #counts: readonly number[]
  /** For each line, 1 if its template is unique in the text. */
  readonly #unique: Uint8Array
  readonly #pairs = new Int32Array(MOST_WORDS)
  #line = 0
  #weight = 0

  /** @param lines - The kept lines without their common prefixes. */
  constructor(scan: TextScan, lines: readonly ScannedLine[], model: LineModel) {
    const read = readLines(lines)
    const { words, tokens } = read
    this.#scan = scan
    this.#lines = lines
    this.#read = read
    this.#model = model
    this.#counts = words.hashes.map((hash) => scan.counts.words.get(hash))
    const ranks = (share: number): Float64Array => formRanks(read, this.#counts, scan.counts, share)
    this.ranks = COMMON_SHARES.map(ranks)
    this.odd = oddLines([...this.ranks, ranks(MOST_COMMON)])
    const of = (kinds: readonly number[], ids: HashIds): readonly IdWeights[] =>
      weightsOf(kinds, ids, model, this.listsAll)
    this.#words = of([FEATURE.word, FEATURE.before, FEATURE.after], words)
    this.#tokens = of([FEATURE.token, FEATURE.tokenBefore, FEATURE.tokenAfter], tokens)
    this.#unique = new Uint8Array(read.lines.map(({ template }) => (scan.counts.templates.get(template) === 1 ? 1 : 0)))
  }

  /** Whether `found` is also called for features without a weight. */
  protected get listsAll(): boolean {
    return false
  }

  /** Return the sum of the weights of a line's features. Each feature counts once. */
  weightOf(index: number): number {
    this.#line = index + 1
    this.#weight = this.#model.bias
    this.#addWords(index)
    this.#addPlace(index)
    this.#addCounts(index)
    return this.#weight
  }

  #addWords(index: number): void {
    const { ids, starts, hashes } = this.#read.words
    const first = starts[index]!
    const count = starts[index + 1]! - first
    this.#addLine(this.#words[0]!, index)
    for (let at = 1; at < count; at++) {
      const pair = Math.imul(hashes[ids[first + at - 1]!]!, 31) ^ hashes[ids[first + at]!]!
      this.#pairs[at] = pair
      const weight = this.#model.weightOf(featureOf(FEATURE.pair, pair))
      if (weight === 0 && !this.listsAll) continue
      if (this.#pairs.indexOf(pair, 1) === at) this.found(FEATURE.pair, pair, weight)
    }
    if (count > 0) {
      this.#add(FEATURE.first, hashes[ids[first]!]!)
      this.#add(FEATURE.last, hashes[ids[first + count - 1]!]!)
    }
    if (count > 1) this.#add(FEATURE.firstPair, this.#pairs[1]!)
    this.#addLine(this.#tokens[0]!, index)
    this.#addNear(this.#words[1]!, this.#tokens[1]!, index, -1)
    this.#addNear(this.#words[2]!, this.#tokens[2]!, index, 1)
  }

  #addNear(words: IdWeights, tokens: IdWeights, index: number, step: 1 | -1): void {
    const { number } = this.#lines[index]!
    for (let near = index + step; Math.abs(near - index) <= NEAR_LINES; near += step) {
      const line = this.#lines[near]
      if (line === undefined || Math.abs(line.number - number) > MOST_DISTANCE) {
        this.#add(words.about, 0)
        return
      }
      this.#addLine(words, near)
      this.#addLine(tokens, near)
    }
  }

  /** Add each hash of a line, unless the current line already has it. */
  #addLine({ about, ids, starts, hashes, weights, lines }: IdWeights, index: number): void {
    for (let at = starts[index]!; at < starts[index + 1]!; at++) {
      const id = ids[at]!
      if (lines[id] === this.#line) continue
      lines[id] = this.#line
      this.found(about, hashes[id]!, weights[id]!)
    }
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
    const { kind, shape, template, skeleton, severity } = this.#read.lines[index]!
    const { ids, starts } = this.#read.words
    const words = starts[index + 1]! - starts[index]!
    this.#add(FEATURE.templates, steps(counts.templates.get(template)))
    this.#add(FEATURE.shapes, steps(counts.shapes.get(shape)))
    this.#add(FEATURE.kinds, steps(counts.kinds.get(kind)))
    for (let view = 0; view < this.ranks.length; view++) {
      const ranks = this.ranks[view]!
      this.#add(FEATURE.unlike, (view << 8) | Math.floor(Math.log2(ranks.length / ranks[index]!)))
      this.#add(FEATURE.alike, (view << 8) | steps(ranks[index]!))
    }
    let rarest = Infinity
    let rare = 0
    let fresh = 0
    let sum = 0
    for (let at = starts[index]!; at < starts[index + 1]!; at++) {
      // Words are not counted if there are too many. Uncounted words are treated as not rare.
      const count = this.#counts[ids[at]!]! || 4
      if (count < rarest) rarest = count
      if (count <= 2) fresh++
      if (count <= 3) rare++
      sum += LOGARITHMS[count] ?? Math.log2(count)
    }
    if (words > 0) {
      this.#add(FEATURE.rarest, steps(rarest))
      this.#add(FEATURE.newWords, Math.min(fresh, 6))
      this.#add(FEATURE.rareWords, Math.min(rare, 6))
      this.#add(FEATURE.meanCount, Math.round(sum / words))
    }
    let unique = 0
    for (let near = Math.max(0, index - UNIQUE_LINES); near <= index + UNIQUE_LINES; near++)
      if (this.#unique[near] === 1) unique++
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

const LOGARITHMS = Array.from({ length: 256 }, (_, count) => Math.log2(count))

/** Round a number to steps, with two steps for each doubling. */
function steps(count: number): number {
  const value = 1 + Math.max(0, count)
  const doublings = 31 - Math.clz32(value)
  const power = (1 << doublings) >>> 0
  return 2 * doublings + (value * value >= 2 * power * power ? 1 : 0)
}

/** Largest number of lines that get a score, and number of lines at each end that always get a score. */
const SCORED_LINES = 384
const SCORED_ENDS = 32
/** Decrease of a line's rank for each doubling of the number of similar lines. */
const ALIKE_RANK = 0.125

/** Return the indexes of lines at both ends and with the highest ranks. Scoring all lines would take too long. */
function scoredLines(lines: readonly ScannedLine[], ranks: readonly Float64Array[]): Iterable<number> {
  if (lines.length <= SCORED_LINES) return lines.keys()
  const worth = lines.map(({ rank, repeats }, index) => {
    const alike = ranks.reduce((product, view) => product * view[index]!, repeats)
    return rank - ALIKE_RANK * Math.log2(alike)
  })
  const count = SCORED_LINES - 2 * SCORED_ENDS
  const least = Float64Array.from(worth).toSorted()[lines.length - count]!
  // Of the lines with the lowest scored worth, the first are scored.
  let spare = count - worth.reduce((sum, own) => sum + (own > least ? 1 : 0), 0)
  const scored: number[] = []
  for (let index = 0; index < lines.length; index++) {
    const isBest = worth[index]! > least || (worth[index] === least && spare-- > 0)
    if (isBest || index < SCORED_ENDS || index >= lines.length - SCORED_ENDS) scored.push(index)
  }
  return scored
}

export function lineScores(scan: TextScan, model: LineModel): LineScores {
  const cut = cutPrefixes(scan.kept)
  const { lines } = cut
  const features = new LineFeatures(scan, lines, model)
  const scores = new Map<number, number>()
  for (const index of scoredLines(lines, features.ranks))
    scores.set(lines[index]!.number, 1 / (1 + Math.exp(-features.weightOf(index))))
  const odd = [...features.odd, ...rareNumbers(lines)].map((index) => lines[index]!.number)
  return { ...cut, scores, odd: new Set(odd) }
}
