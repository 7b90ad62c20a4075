import { yieldToEventLoop } from '@spillway/text/internal'
import { saturate, type QueryWord } from './query-words.ts'

/** Lines of a passage before and after the one that it is shown for. */
export const LINES_BEFORE = 3
export const LINES_AFTER = 5

/** What a word counts that stands in another line of the passage, by the distance. */
const NEAR_SHARES: readonly number[] = Array.from(
  { length: Math.max(LINES_BEFORE, LINES_AFTER) + 1 },
  (_, distance) => 0.6 * 0.8 ** distance,
)

/** What it counts more that words follow each other as in the question. */
const PAIR_BONUS = 0.15

/** How much of a score depends on how many of the words asked for are there. */
const COVERAGE = 0.5

/** Scores are compared in steps of this size; of equal ones the first in the content is the better. */
const SCORE_STEP = 1e-6

/** Candidates that are scored before others have their turn. */
const SLICE = 8_192

/** A place in a content that is about the words of a question. */
export interface Passage {
  /** The candidate that it is shown for. */
  readonly candidate: number
  readonly score: number
  /** How many more passages are like it. */
  readonly similar: number
  /** The first line of those, in the order of the content. */
  readonly similarLine: number
}

/** The best passages of a content. */
interface RankedPassages {
  /** Best first. */
  readonly passages: readonly Passage[]
  /** How many there are in all, those that are like others not counted. */
  readonly total: number
}

/** What words count: for one content, or for all of a scope together. */
interface WordWeights {
  /** For each word. */
  readonly weights: readonly number[]
  readonly averageLength: number
}

/** Rank the passages of a content and return the first `count` of them. */
export async function rankPassages(
  words: readonly QueryWord[],
  candidates: PassageCandidates,
  weights: WordWeights,
  count: number,
): Promise<RankedPassages> {
  const keys = await sortKeys(candidates, new Scorer(words, candidates, weights))
  const taken = new Uint8Array(candidates.count)
  const byKind = new Map<number, Writable<Passage>>()
  const passages: Passage[] = []
  for (let at = keys.length - 1; at >= 0; at--) {
    if (at % SLICE === 0) await yieldToEventLoop()
    const candidate = MAX_CANDIDATES - 1 - (keys[at]! % MAX_CANDIDATES)
    if (taken[candidate] === 1) continue
    taken[candidate] = 1
    const known = byKind.get(candidates.kind(candidate))
    if (known !== undefined) {
      const line = candidates.line(candidate)
      known.similarLine = known.similar === 0 ? line : Math.min(known.similarLine, line)
      known.similar++
      continue
    }
    const score = Math.floor(keys[at]! / MAX_CANDIDATES) * SCORE_STEP
    const passage = { candidate, score, similar: 0, similarLine: 0 }
    byKind.set(candidates.kind(candidate), passage)
    if (passages.length < count) passages.push(passage)
    takeNeighbours(candidates, candidate, taken)
  }
  return { passages, total: byKind.size }
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** The lines that are shown with a passage make none of their own. */
function takeNeighbours(candidates: PassageCandidates, index: number, taken: Uint8Array): void {
  if (candidates.isPart(index)) return
  const line = candidates.line(index)
  for (let at = index - 1; at >= 0 && candidates.line(at) >= line - LINES_BEFORE; at--) {
    if (candidates.isPart(at)) break
    taken[at] = 1
  }
  for (let at = index + 1; at < candidates.count && candidates.line(at) <= line + LINES_AFTER; at++) {
    if (candidates.isPart(at)) break
    taken[at] = 1
  }
}

/** Score all candidates; the keys, sorted, hold score and place. */
async function sortKeys(candidates: PassageCandidates, scorer: Scorer): Promise<Float64Array> {
  const keys = new Float64Array(candidates.count)
  for (let index = 0; index < keys.length; index++) {
    if (index % SLICE === SLICE - 1) await yieldToEventLoop()
    const steps = Math.floor(scorer.score(index) / SCORE_STEP)
    keys[index] = steps * MAX_CANDIDATES + (MAX_CANDIDATES - 1 - index)
  }
  return keys.sort()
}

class Scorer {
  readonly #candidates: PassageCandidates
  readonly #weights: readonly number[]
  readonly #averageLength: number
  readonly #asked: readonly boolean[]
  /** What all words together count that were asked for and occur. */
  readonly #askedWeight: number
  readonly #parts: Float64Array

  constructor(words: readonly QueryWord[], candidates: PassageCandidates, { weights, averageLength }: WordWeights) {
    this.#candidates = candidates
    this.#weights = weights
    this.#averageLength = averageLength
    this.#asked = words.map((word) => !word.implied)
    this.#askedWeight = weights.reduce((sum, weight, word) => (this.#asked[word] === true ? sum + weight : sum), 0)
    this.#parts = new Float64Array(words.length)
  }

  /** BM25 of a line, to which the words of its neighbours add, the less the further away they are. */
  score(index: number): number {
    const candidates = this.#candidates
    const parts = this.#parts.fill(0)
    const unit = candidates.unit(index)
    this.#add(index, 1)
    for (let at = index - 1; at >= 0 && unit - candidates.unit(at) <= LINES_BEFORE; at--) {
      this.#add(at, NEAR_SHARES[unit - candidates.unit(at)]!)
    }
    for (let at = index + 1; at < candidates.count && candidates.unit(at) - unit <= LINES_AFTER; at++) {
      this.#add(at, NEAR_SHARES[candidates.unit(at) - unit]!)
    }
    let sum = 0
    let covered = 0
    for (let word = 0; word < parts.length; word++) {
      if (parts[word] === 0) continue
      sum += this.#weights[word]! * parts[word]!
      if (this.#asked[word] === true) covered += this.#weights[word]!
    }
    const coverage = this.#askedWeight === 0 ? 1 : covered / this.#askedWeight
    return sum * (1 - COVERAGE + COVERAGE * coverage) * (1 + PAIR_BONUS * candidates.pairs(index))
  }

  #add(index: number, share: number): void {
    const length = this.#candidates.length(index)
    const parts = this.#parts
    for (let times = this.#candidates.present(index), word = 0; times !== 0; times >>>= 1, word++) {
      if ((times & 1) === 0) continue
      const part = share * saturate(this.#candidates.times(index, word), length, this.#averageLength)
      if (part > parts[word]!) parts[word] = part
    }
  }
}

/** Candidates that are kept, at most; above it the lower half goes. */
export const MAX_CANDIDATES = 65_536

/** Times that a word counts in one unit, at most: what two bits hold. */
export const MAX_TIMES = 3

/** A line that has a word of the question, or a part of a very long line. */
interface Candidate {
  /** Which unit of the content it is, from 0. */
  readonly unit: number
  /** From 1. */
  readonly line: number
  /** Where it begins in its line. */
  readonly column: number
  /** UTF-16 units of it. */
  readonly length: number
  /** What it has in common with lines that are like it. */
  readonly shape: number
  /** The chunk in which it lies. */
  readonly chunk: number
  /** How often words follow each other as in the question. */
  readonly pairs: number
  /** How often each word occurs. */
  readonly times: Uint8Array
}

const COLUMNS = 9
/** Candidates for which there is room at first: a scope may have a thousand contents. */
const FIRST_ROOM = 64

/** Candidates in the order of the content, 36 bytes each. */
export class PassageCandidates {
  #data = new Uint32Array(FIRST_ROOM * COLUMNS)
  #count = 0
  #dropped = 0

  get count(): number {
    return this.#count
  }

  /** How many have been let go. */
  get dropped(): number {
    return this.#dropped
  }

  add({ unit, line, column, length, shape, chunk, pairs, times }: Candidate): void {
    const at = this.#count * COLUMNS
    if (at === this.#data.length) {
      const larger = new Uint32Array(this.#data.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.#count++
    let low = 0
    let high = 0
    let present = 0
    for (let word = 0; word < times.length; word++) {
      const count = Math.min(MAX_TIMES, times[word]!)
      if (count > 0) present |= 1 << word
      if (word < 16) low |= count << (word * 2)
      else high |= count << ((word - 16) * 2)
    }
    const data = this.#data
    data[at] = unit
    data[at + 1] = line
    data[at + 2] = column
    data[at + 3] = Math.min(0xffff, length) | (Math.min(MAX_TIMES, pairs) << 16)
    data[at + 4] = shape
    data[at + 5] = chunk
    data[at + 6] = low
    data[at + 7] = high
    data[at + 8] = present
  }

  unit(index: number): number {
    return this.#data[index * COLUMNS]!
  }

  line(index: number): number {
    return this.#data[index * COLUMNS + 1]!
  }

  column(index: number): number {
    return this.#data[index * COLUMNS + 2]!
  }

  length(index: number): number {
    return this.#data[index * COLUMNS + 3]! & 0xffff
  }

  pairs(index: number): number {
    return this.#data[index * COLUMNS + 3]! >>> 16
  }

  shape(index: number): number {
    return this.#data[index * COLUMNS + 4]!
  }

  chunk(index: number): number {
    return this.#data[index * COLUMNS + 5]!
  }

  /** How often a word occurs, up to three times. */
  times(index: number, word: number): number {
    const at = index * COLUMNS + 6
    return word < 16 ? (this.#data[at]! >>> (word * 2)) & 3 : (this.#data[at + 1]! >>> ((word - 16) * 2)) & 3
  }

  /** Which words occur, one bit for each. */
  present(index: number): number {
    return this.#data[index * COLUMNS + 8]!
  }

  /** Whether it is a part of a long line, though not its first. */
  isPart(index: number): boolean {
    return this.column(index) > 0
  }

  /** What candidates have in common that are like each other: their shape, and the words that they have. */
  kind(index: number): number {
    return this.shape(index) * 0x1f_ffff + (Math.imul(this.present(index), 0x9e3779b1) >>> 11)
  }

  /** Let go of one that was not added. */
  drop(): void {
    this.#dropped++
  }

  /** Keep `keep` of them: let those go that score lowest, of equal ones the later. Returns the most that any of those scores. */
  keepBest(keep: number, scoreOf: (index: number) => number): number {
    if (keep >= this.#count) return -Infinity
    const scores = Float64Array.from({ length: this.#count }, (_, index) => scoreOf(index))
    const sorted = scores.toSorted()
    const least = sorted[this.#count - keep]!
    const most = sorted[this.#count - keep - 1]!
    // How many of those remain that score just the least.
    let equal = keep
    for (const score of scores) if (score > least) equal--
    let kept = 0
    for (let index = 0; index < this.#count; index++) {
      if (scores[index]! < least || (scores[index] === least && equal-- <= 0)) continue
      this.#data.copyWithin(kept * COLUMNS, index * COLUMNS, (index + 1) * COLUMNS)
      kept++
    }
    this.#dropped += this.#count - kept
    this.#count = kept
    this.#data = this.#data.slice(0, Math.max(FIRST_ROOM, kept) * COLUMNS)
    return most
  }
}
