import { yieldToEventLoop } from '#platform'
import { checkAborted } from '../../storage/guard.ts'
import { shapeOf } from './line-shape.ts'
import { MAX_CANDIDATES, PassageCandidates } from './passage-candidates.ts'
import type { QueryWord } from './query-words.ts'
import { textChunks } from './text-chunks.ts'
import type { TextChunk } from './text-chunks.ts'
import { WordFinder } from './word-finder.ts'
import { averageLength, saturate, weighWords } from './word-weights.ts'
import type { WordStatistics } from './word-weights.ts'

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

/** Let go of the lines that have the least of the words. */
export function keepBest(
  count: number,
  candidates: PassageCandidates,
  words: readonly QueryWord[],
  statistics: WordStatistics,
): void {
  const weights = weighWords(words, statistics)
  const average = averageLength(statistics)
  candidates.keepBest(count, (index) => {
    let score = 0
    for (let word = 0; word < weights.length; word++) {
      const times = candidates.times(index, word)
      if (times > 0) score += weights[word]! * saturate(times, candidates.length(index), average)
    }
    return score
  })
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
    const { text, lineEnds } = chunk
    const { offset, size, firstLine, column, open } = chunk
    this.#chunks.push({ offset, size, firstLine, column, firstEnd: lineEnds[0]!, open })
    this.#bytes += chunk.size
    this.#lines = chunk.firstLine + lineEnds.length - 1
    let hit = this.#finder.next(text, 0)
    let start = 0
    for (let index = 0; index < lineEnds.length; index++) {
      const lineEnd = lineEnds[index]!
      const parts = index === 0 && (chunk.column > 0 || chunk.open) ? true : lineEnd - start > MAX_UNIT_LENGTH
      // A part of a line that has nothing but its end is none.
      if (chunk.column > 0 && start === lineEnd) {
        start = lineEnd + 1
        continue
      }
      do {
        const end = parts ? Math.min(lineEnd, start + PART_LENGTH) : lineEnd
        this.#statistics.length += end - start
        if (hit !== undefined && hit.start < end) {
          this.#times.fill(0)
          let pairs = 0
          let lastWord = -2
          let lastEnd = -1
          for (; hit !== undefined && hit.start < end; hit = this.#finder.next(text, hit.end)) {
            for (const word of hit.words) if (this.#times[word]! < 255) this.#times[word]!++
            if (hit.words.includes(lastWord + 1) && hit.start - lastEnd <= MAX_PAIR_GAP) pairs++
            lastWord = hit.words[0]!
            lastEnd = hit.end
          }
          this.#take(chunk, index, start, end, pairs)
        }
        this.#statistics.units++
        start = end
      } while (start < lineEnd)
      start = lineEnd + 1
    }
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
    if (this.#candidates.count === MAX_CANDIDATES) {
      keepBest(MAX_CANDIDATES / 2, this.#candidates, this.#words, this.#statistics)
    }
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
