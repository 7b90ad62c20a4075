import { yieldToOthers } from '../platform/yield-to-others.ts'
import { saturate, type QueryWord } from './query-words.ts'

export const LINES_BEFORE = 3
export const LINES_AFTER = 5

/** Weights of words in other lines of a passage, by the distance of the line. */
const NEAR_SHARES: readonly number[] = Array.from(
  { length: Math.max(LINES_BEFORE, LINES_AFTER) + 1 },
  (_, distance) => 0.6 * 0.8 ** distance,
)

/** Bonus for words that follow each other in the same order as in the question. */
const PAIR_BONUS = 0.15
/** Share of the score that depends on the number of different query words. */
const COVERAGE = 0.5
/** Precision of scores. Passages with equal scores keep the order of the content. */
const SCORE_STEP = 1e-6
const SLICE = 8_192

export interface Passage {
  readonly candidate: number
  readonly score: number
  readonly similar: number
  /** The first similar candidate. */
  readonly firstSimilar: number
}

interface WordWeights {
  readonly weights: readonly number[]
  readonly averageLength: number
  readonly caller?: unknown
}

/** Return the best passages, and the number of all passages. Similar passages count as one. */
export async function rankPassages(
  words: readonly QueryWord[],
  candidates: PassageCandidates,
  weights: WordWeights,
  count: number,
): Promise<{ readonly passages: readonly Passage[]; readonly total: number }> {
  const { caller } = weights
  const keys = await sortKeys(candidates, scorer(words, candidates, weights), caller)
  const taken = new Uint8Array(candidates.count)
  const byKind = new Map<number, { -readonly [Key in keyof Passage]: Passage[Key] }>()
  const passages: Passage[] = []
  for (let at = keys.length - 1; at >= 0; at--) {
    if (at % SLICE === 0) await yieldToOthers(caller)
    const candidate = MAX_CANDIDATES - 1 - (keys[at]! % MAX_CANDIDATES)
    if (taken[candidate] === 1) continue
    taken[candidate] = 1
    const known = byKind.get(candidates.kind(candidate))
    if (known !== undefined) {
      known.firstSimilar = known.similar === 0 ? candidate : Math.min(known.firstSimilar, candidate)
      known.similar++
      continue
    }
    const score = Math.floor(keys[at]! / MAX_CANDIDATES) * SCORE_STEP
    const passage = { candidate, score, similar: 0, firstSimilar: candidate }
    byKind.set(candidates.kind(candidate), passage)
    if (passages.length < count) passages.push(passage)
    takeNeighbours(candidates, candidate, taken)
  }
  return { passages, total: byKind.size }
}

/** Mark the lines that a passage shows, so that they do not start another passage. */
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

/** Return sorted keys. Each key combines the score and the position of a candidate. */
async function sortKeys(
  candidates: PassageCandidates,
  score: (index: number) => number,
  caller: unknown,
): Promise<Float64Array> {
  const keys = new Float64Array(candidates.count)
  for (let index = 0; index < keys.length; index++) {
    if (index % SLICE === SLICE - 1) await yieldToOthers(caller)
    const steps = Math.floor(score(index) / SCORE_STEP)
    keys[index] = steps * MAX_CANDIDATES + (MAX_CANDIDATES - 1 - index)
  }
  return keys.sort()
}

function scorer(words: readonly QueryWord[], candidates: PassageCandidates, { weights, averageLength }: WordWeights) {
  const asked = words.map((word) => !word.implied)
  const askedWeight = weights.reduce((sum, weight, word) => (asked[word] === true ? sum + weight : sum), 0)
  const parts = new Float64Array(words.length)

  /** Compute the BM25 score of a line. Words in neighboring lines count less with their distance. */
  function score(index: number): number {
    parts.fill(0)
    const unit = candidates.unit(index)
    add(index, 1)
    for (let at = index - 1; at >= 0 && unit - candidates.unit(at) <= LINES_BEFORE; at--) {
      add(at, NEAR_SHARES[unit - candidates.unit(at)]!)
    }
    for (let at = index + 1; at < candidates.count && candidates.unit(at) - unit <= LINES_AFTER; at++) {
      add(at, NEAR_SHARES[candidates.unit(at) - unit]!)
    }
    let sum = 0
    let covered = 0
    for (let word = 0; word < parts.length; word++) {
      if (parts[word] === 0) continue
      sum += weights[word]! * parts[word]!
      if (asked[word] === true) covered += weights[word]!
    }
    const coverage = askedWeight === 0 ? 1 : covered / askedWeight
    return sum * (1 - COVERAGE + COVERAGE * coverage) * (1 + PAIR_BONUS * candidates.pairs(index))
  }

  function add(index: number, share: number): void {
    const length = candidates.length(index)
    for (let times = candidates.present(index), word = 0; times !== 0; times >>>= 1, word++) {
      if ((times & 1) === 0) continue
      const part = share * saturate(candidates.times(index, word), length, averageLength)
      if (part > parts[word]!) parts[word] = part
    }
  }

  return score
}

/** Largest number of candidates. If there are more, the lower half is dropped. */
export const MAX_CANDIDATES = 65_536

/** Largest count of a word that is recorded, which fits in two bits. */
export const MAX_TIMES = 3

interface Candidate {
  readonly unit: number
  readonly line: number
  /** Byte offset of the start. */
  readonly offset: number
  /** Whether the candidate is a part of a long line, but not its first part. */
  readonly isPart: boolean
  readonly length: number
  /** Hash of the line. Similar lines have the same hash. */
  readonly shape: number
  readonly pairs: number
  readonly times: Uint8Array
}

const COLUMNS = 9
/** Bit of the fourth column for a part of a long line. */
const PART = 0x40000
const HIGH = 2 ** 32
/** Initial capacity, which is small, because one search may read a thousand contents. */
const FIRST_ROOM = 64

/** Candidates in the order of the content. Each candidate needs 36 bytes. */
export class PassageCandidates {
  #data = new Uint32Array(FIRST_ROOM * COLUMNS)
  count = 0
  dropped = 0

  add({ unit, line, offset, isPart, length, shape, pairs, times }: Candidate): void {
    const at = this.count * COLUMNS
    if (at === this.#data.length) {
      const larger = new Uint32Array(this.#data.length * 2)
      larger.set(this.#data)
      this.#data = larger
    }
    this.count++
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
    data[at + 2] = offset % HIGH
    data[at + 3] = Math.min(0xffff, length) | (Math.min(MAX_TIMES, pairs) << 16) | (isPart ? PART : 0)
    data[at + 4] = shape
    data[at + 5] = offset / HIGH
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

  offset(index: number): number {
    return this.#data[index * COLUMNS + 5]! * HIGH + this.#data[index * COLUMNS + 2]!
  }

  length(index: number): number {
    return this.#data[index * COLUMNS + 3]! & 0xffff
  }

  pairs(index: number): number {
    return (this.#data[index * COLUMNS + 3]! >>> 16) & MAX_TIMES
  }

  shape(index: number): number {
    return this.#data[index * COLUMNS + 4]!
  }

  times(index: number, word: number): number {
    const at = index * COLUMNS + 6
    return word < 16 ? (this.#data[at]! >>> (word * 2)) & 3 : (this.#data[at + 1]! >>> ((word - 16) * 2)) & 3
  }

  present(index: number): number {
    return this.#data[index * COLUMNS + 8]!
  }

  isPart(index: number): boolean {
    return (this.#data[index * COLUMNS + 3]! & PART) !== 0
  }

  /** Return a number that is equal for candidates with the same shape and the same query words. */
  kind(index: number): number {
    return this.shape(index) * 0x1f_ffff + (Math.imul(this.present(index), 0x9e3779b1) >>> 11)
  }

  drop(): void {
    this.dropped++
  }

  /** Drop the candidates with the lowest scores, later candidates first. Returns the highest dropped score. */
  keepBest(keep: number, scoreOf: (index: number) => number): number {
    if (keep >= this.count) return -Infinity
    const scores = Float64Array.from({ length: this.count }, (_, index) => scoreOf(index))
    const sorted = scores.toSorted()
    const least = sorted[this.count - keep]!
    const most = sorted[this.count - keep - 1]!
    // Number of candidates to keep that have exactly the lowest kept score.
    let equal = keep
    for (const score of scores) if (score > least) equal--
    let kept = 0
    for (let index = 0; index < this.count; index++) {
      if (scores[index]! < least || (scores[index] === least && equal-- <= 0)) continue
      this.#data.copyWithin(kept * COLUMNS, index * COLUMNS, (index + 1) * COLUMNS)
      kept++
    }
    this.dropped += this.count - kept
    this.count = kept
    this.#data = this.#data.slice(0, Math.max(FIRST_ROOM, kept) * COLUMNS)
    return most
  }
}
