import { yieldToEventLoop } from '@spillway/text/internal'
import { checkAborted } from '../../storage/storage-error.ts'
import { shapeOf } from './line-shape.ts'
import { MAX_CANDIDATES, MAX_TIMES, PassageCandidates } from './passage-candidates.ts'
import type { QueryWord } from './query-words.ts'
import { textChunks, type TextChunk } from './text-chunks.ts'
import { WordFinder, type WordHit } from './word-finder.ts'
import { averageLength, saturate, weighWords, type WordStatistics } from './word-weights.ts'

/** A line that is longer is taken in parts. */
export const MAX_UNIT_LENGTH = 1_000

/** UTF-16 units of a part of a long line. */
export const PART_LENGTH = 400

/** Milliseconds after which others have their turn. */
const SLICE_MS = 8

/** UTF-16 units between two words that follow each other, at most. */
const MAX_PAIR_GAP = 3

/** Where a chunk of the content lies. */
export interface ChunkPlace {
  readonly offset: number
  readonly size: number
  readonly firstLine: number
  readonly column: number
  /** Where its first line ends in it, in UTF-16 units, at its LF or at the end of what is here of it. */
  readonly firstEnd: number
  /** Whether that line goes on in the next chunk. */
  readonly open: boolean
}

/** How a scan is bounded. */
export interface ScanOptions {
  readonly signal: AbortSignal | undefined
  /** Milliseconds of work after which it ends with what it has. */
  readonly deadlineMs: number
}

/** Milliseconds of work for a megabyte, beside those that every call has. */
const MS_PER_MEGABYTE = 20

/** Milliseconds that a scan of content of such a size may take. */
export function queryDeadline(size: number, deadlineMs: number): number {
  return deadlineMs + (size / 1_000_000) * MS_PER_MEGABYTE
}

/** What one pass over a content finds out about the words of a question. */
export interface WordScan extends WordStatistics {
  readonly candidates: PassageCandidates
  readonly chunks: readonly ChunkPlace[]
  /** Lines that have each word. */
  readonly lineCounts: readonly number[]
  /** Lines read. */
  readonly lines: number
  /** Bytes read. */
  readonly bytes: number
  /** Milliseconds of work. */
  readonly milliseconds: number
  /** Whether the content was read to its end. */
  readonly ended: boolean
}

/** Read a content once, count in how many of its lines each word occurs, and note those lines. */
export async function scanWords(
  blocks: AsyncIterable<Uint8Array>,
  words: readonly QueryWord[],
  { signal, deadlineMs }: ScanOptions,
): Promise<WordScan> {
  const scanner = new Scanner(words)
  let spent = 0
  let sliceStart = performance.now()
  for await (const chunk of textChunks(blocks)) {
    const start = performance.now()
    scanner.add(chunk)
    const end = performance.now()
    spent += end - start
    if (spent > deadlineMs) return scanner.finish(spent, false)
    if (end - sliceStart < SLICE_MS) continue
    checkAborted(signal)
    await yieldToEventLoop()
    sliceStart = performance.now()
  }
  return scanner.finish(spent, true)
}

/** Keep so many of the lines: let go of those that have the least of the words. */
export function keepBest(
  count: number,
  candidates: PassageCandidates,
  words: readonly QueryWord[],
  statistics: WordStatistics,
): void {
  keepByScore(count, candidates, ownScore(weighWords(words, statistics), averageLength(statistics)))
}

/** Return the most that any has that was let go. */
function keepByScore(count: number, candidates: PassageCandidates, score: OwnScore): number {
  return candidates.keepBest(count, (index) => score((word) => candidates.times(index, word), candidates.length(index)))
}

type OwnScore = (timesOf: (word: number) => number, length: number) => number

/** Score a line for its own words alone. */
function ownScore(weights: readonly number[], average: number): OwnScore {
  return (timesOf, length) => {
    let score = 0
    for (let word = 0; word < weights.length; word++) {
      const times = timesOf(word)
      if (times > 0) score += weights[word]! * saturate(times, length, average)
    }
    return score
  }
}

class Scanner {
  readonly #words: readonly QueryWord[]
  readonly #finder: WordFinder
  readonly #statistics: WordStatistics
  readonly #lineCounts: number[]
  /** The line in which each word was last counted. */
  readonly #lastLines: number[]
  readonly #candidates = new PassageCandidates()
  readonly #chunks: ChunkPlace[] = []
  readonly #times: Uint8Array
  /** The next word in the chunk at hand. */
  #hit: WordHit | undefined
  readonly #timesOf = (word: number): number => this.#times[word]!
  /** Once there were too many lines: how they are scored, and what is too little. */
  #score: OwnScore | undefined
  #least = 0
  #lines = 0
  #bytes = 0

  constructor(words: readonly QueryWord[]) {
    this.#words = words
    this.#finder = new WordFinder(words)
    this.#statistics = { units: 0, length: 0, unitCounts: words.map(() => 0) }
    this.#lineCounts = words.map(() => 0)
    this.#lastLines = words.map(() => 0)
    this.#times = new Uint8Array(words.length)
  }

  add(chunk: TextChunk): void {
    const { text, lineEnds, offset, size, firstLine, column, open } = chunk
    this.#chunks.push({ offset, size, firstLine, column, firstEnd: lineEnds[0]!, open })
    this.#bytes += size
    this.#lines = firstLine + lineEnds.length - 1
    this.#hit = this.#finder.next(text, 0)
    const isPart = column > 0 || open
    let start = 0
    for (let index = 0; index < lineEnds.length; index++) {
      const end = lineEnds[index]!
      const inParts = isPart || end - start > MAX_UNIT_LENGTH
      // The end of a long line may stand alone in its last chunk, and is no part of it.
      if (column === 0 || end > start) this.#addLine(chunk, index, start, end, inParts ? PART_LENGTH : Infinity)
      start = end + 1
    }
  }

  #addLine(chunk: TextChunk, index: number, lineStart: number, lineEnd: number, length: number): void {
    let start = lineStart
    do {
      const end = Math.min(lineEnd, start + length)
      this.#statistics.length += end - start
      if (this.#hit !== undefined && this.#hit.start < end) {
        this.#take(chunk, index, start, end, this.#countWords(chunk.text, end))
      }
      this.#statistics.units++
      start = end
    } while (start < lineEnd)
  }

  /** Count the words up to `end`, and return how many of them follow another one as in the question. */
  #countWords(text: string, end: number): number {
    this.#times.fill(0)
    let pairs = 0
    let last: WordHit | undefined
    for (; this.#hit !== undefined && this.#hit.start < end; this.#hit = this.#finder.next(text, this.#hit.end)) {
      const { words, start } = this.#hit
      for (const word of words) if (this.#times[word]! < MAX_TIMES) this.#times[word]!++
      if (last !== undefined && words.includes(last.words[0]! + 1) && start - last.end <= MAX_PAIR_GAP) pairs++
      last = this.#hit
    }
    return pairs
  }

  finish(milliseconds: number, ended: boolean): WordScan {
    return {
      ...this.#statistics,
      candidates: this.#candidates,
      chunks: this.#chunks,
      lineCounts: this.#lineCounts,
      lines: this.#lines,
      bytes: this.#bytes,
      milliseconds,
      ended,
    }
  }

  #take(chunk: TextChunk, index: number, start: number, end: number, pairs: number): void {
    const { text, firstLine, column, lineEnds } = chunk
    const line = firstLine + index
    const lineStart = index === 0 ? 0 : lineEnds[index - 1]! + 1
    for (let word = 0; word < this.#words.length; word++) {
      if (this.#times[word] === 0) continue
      this.#statistics.unitCounts[word]!++
      if (this.#lastLines[word] !== line) this.#lineCounts[word]!++
      this.#lastLines[word] = line
    }
    if (this.#isOneTooMany(end - start)) return
    this.#candidates.add({
      unit: this.#statistics.units,
      line,
      column: (index === 0 ? column : 0) + start - lineStart,
      length: end - start,
      shape: this.#shape(text, start, end, lineEnds, index),
      chunk: this.#chunks.length - 1,
      pairs,
      times: this.#times,
    })
  }

  /** Where there were too many lines, one that has less of the words than all that were kept is not noted. */
  #isOneTooMany(length: number): boolean {
    if (this.#candidates.count === MAX_CANDIDATES) {
      const weights = weighWords(this.#words, this.#statistics)
      this.#score = ownScore(weights, averageLength(this.#statistics))
      this.#least = keepByScore(MAX_CANDIDATES / 2, this.#candidates, this.#score)
    }
    if (this.#score === undefined || this.#score(this.#timesOf, length) > this.#least) return false
    this.#candidates.drop()
    return true
  }

  /** A line of which little is left without its numbers is told from others by its neighbours. */
  #shape(text: string, start: number, end: number, lineEnds: readonly number[], index: number): number {
    const { hash, weak } = shapeOf(text, start, end)
    if (!weak) return hash
    const before =
      index === 0 ? 0 : shapeOf(text, index === 1 ? 0 : lineEnds[index - 2]! + 1, lineEnds[index - 1]!).hash
    const next = lineEnds[index + 1]
    const after = next === undefined ? 0 : shapeOf(text, lineEnds[index]! + 1, next).hash
    return (hash ^ Math.imul(before, 3) ^ Math.imul(after, 5)) >>> 0
  }
}
