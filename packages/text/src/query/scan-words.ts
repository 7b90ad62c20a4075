import { yieldToOthers } from '../platform/yield-to-others.ts'
import { averageLength, saturate, weighWords, type QueryWord, type WordStatistics } from './query-words.ts'
import { MAX_CANDIDATES, MAX_TIMES, PassageCandidates } from './rank-passages.ts'
import { wordFinder, type WordHit } from './word-finder.ts'

/** Longest unit of scoring. A longer line is divided into several units. */
export const MAX_UNIT_LENGTH = 1_000
export const PART_LENGTH = 400

/** Milliseconds between two yields to the event loop. */
const SLICE_MS = 8
/** Largest distance, in UTF-16 units, between two words that count as adjacent. */
const MAX_PAIR_GAP = 3

export interface ChunkPlace extends Omit<TextChunk, 'text' | 'lineEnds'> {
  readonly firstEnd: number
}

interface ScanOptions {
  readonly deadlineMs: number
  readonly caller?: unknown
  /** Called before each yield. If the callback throws, the scan ends. */
  readonly beforePause?: (() => void) | undefined
}

const MS_PER_MEGABYTE = 20

export function queryDeadline(size: number, deadlineMs: number): number {
  return deadlineMs + (size / 1_000_000) * MS_PER_MEGABYTE
}

export interface WordScan extends WordStatistics {
  readonly candidates: PassageCandidates
  readonly chunks: readonly ChunkPlace[]
  readonly lineCounts: readonly number[]
  readonly lines: number
  readonly bytes: number
  readonly milliseconds: number
  readonly ended: boolean
}

export async function scanWords(
  blocks: AsyncIterable<Uint8Array>,
  words: readonly QueryWord[],
  { deadlineMs, caller, beforePause }: ScanOptions,
): Promise<WordScan> {
  const scanner = scannerOf(words)
  let spent = 0
  let sliceStart = performance.now()
  for await (const chunk of textChunks(blocks)) {
    const start = performance.now()
    scanner.add(chunk)
    const end = performance.now()
    spent += end - start
    if (spent > deadlineMs) return scanner.finish(spent, false)
    if (end - sliceStart < SLICE_MS) continue
    beforePause?.()
    await yieldToOthers(caller)
    sliceStart = performance.now()
  }
  return scanner.finish(spent, true)
}

export function keepBest(
  count: number,
  candidates: PassageCandidates,
  words: readonly QueryWord[],
  statistics: WordStatistics,
): void {
  keepByScore(count, candidates, ownScore(weighWords(words, statistics), averageLength(statistics)))
}

/** Keep the candidates with the highest scores. Returns the highest dropped score. */
function keepByScore(count: number, candidates: PassageCandidates, score: OwnScore): number {
  return candidates.keepBest(count, (index) => score((word) => candidates.times(index, word), candidates.length(index)))
}

type OwnScore = (timesOf: (word: number) => number, length: number) => number

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

function scannerOf(words: readonly QueryWord[]) {
  const candidates = new PassageCandidates()
  const chunks: ChunkPlace[] = []
  let hit: WordHit | undefined
  const timesOf = (word: number): number => times[word]!
  /** Set after there were too many lines: the scoring function, and the highest score that is too low. */
  let score: OwnScore | undefined
  let least = 0
  let lines = 0
  let bytes = 0
  const findWord = wordFinder(words)
  const statistics = { units: 0, length: 0, unitCounts: words.map(() => 0) }
  const lineCounts = words.map(() => 0)
  const lastLines = words.map(() => 0)
  const times = new Uint8Array(words.length)

  function add(chunk: TextChunk): void {
    const { text, lineEnds, offset, size, firstLine, column, open } = chunk
    chunks.push({ offset, size, firstLine, column, firstEnd: lineEnds[0]!, open })
    bytes += size
    lines = firstLine + lineEnds.length - 1
    hit = findWord(text, 0)
    const isPart = column > 0 || open
    let start = 0
    for (let index = 0; index < lineEnds.length; index++) {
      const end = lineEnds[index]!
      const inParts = isPart || end - start > MAX_UNIT_LENGTH
      // The last chunk of a long line may have only the line end, which is not a part of the line.
      if (column === 0 || end > start) addLine(chunk, index, start, end, inParts ? PART_LENGTH : Infinity)
      start = end + 1
    }
  }

  function addLine(chunk: TextChunk, index: number, lineStart: number, lineEnd: number, length: number): void {
    let start = lineStart
    do {
      const end = Math.min(lineEnd, start + length)
      statistics.length += end - start
      if (hit !== undefined && hit.start < end) {
        take(chunk, index, start, end, countWords(chunk.text, end))
      }
      statistics.units++
      start = end
    } while (start < lineEnd)
  }

  /** Count the words of a unit. Returns the number of adjacent words in the same order as in the question. */
  function countWords(text: string, end: number): number {
    times.fill(0)
    let pairs = 0
    let last: WordHit | undefined
    for (; hit !== undefined && hit.start < end; hit = findWord(text, hit.end)) {
      const { words, start } = hit
      for (const word of words) if (times[word]! < MAX_TIMES) times[word]!++
      if (last !== undefined && words.includes(last.words[0]! + 1) && start - last.end <= MAX_PAIR_GAP) pairs++
      last = hit
    }
    return pairs
  }

  function finish(milliseconds: number, ended: boolean): WordScan {
    return { ...statistics, candidates, chunks, lineCounts, lines, bytes, milliseconds, ended }
  }

  function take(chunk: TextChunk, index: number, start: number, end: number, pairs: number): void {
    const { text, firstLine, column, lineEnds } = chunk
    const line = firstLine + index
    const lineStart = index === 0 ? 0 : lineEnds[index - 1]! + 1
    for (let word = 0; word < words.length; word++) {
      if (times[word] === 0) continue
      statistics.unitCounts[word]!++
      if (lastLines[word] !== line) lineCounts[word]!++
      lastLines[word] = line
    }
    if (isOneTooMany(end - start)) return
    candidates.add({
      unit: statistics.units,
      line,
      column: (index === 0 ? column : 0) + start - lineStart,
      length: end - start,
      shape: shape(text, start, end, lineEnds, index),
      chunk: chunks.length - 1,
      pairs,
      times,
    })
  }

  /** Whether to drop a line, because there were too many lines and its score is lower than all kept scores. */
  function isOneTooMany(length: number): boolean {
    if (candidates.count === MAX_CANDIDATES) {
      const weights = weighWords(words, statistics)
      score = ownScore(weights, averageLength(statistics))
      least = keepByScore(MAX_CANDIDATES / 2, candidates, score)
    }
    if (score === undefined || score(timesOf, length) > least) return false
    candidates.drop()
    return true
  }

  /** Return the shape of a line. If it has little text besides numbers, the shape includes the neighboring lines. */
  function shape(text: string, start: number, end: number, lineEnds: readonly number[], index: number): number {
    const { hash, weak } = shapeOf(text, start, end)
    if (!weak) return hash
    const before =
      index === 0 ? 0 : shapeOf(text, index === 1 ? 0 : lineEnds[index - 2]! + 1, lineEnds[index - 1]!).hash
    const next = lineEnds[index + 1]
    const after = next === undefined ? 0 : shapeOf(text, lineEnds[index]! + 1, next).hash
    return (hash ^ Math.imul(before, 3) ^ Math.imul(after, 5)) >>> 0
  }

  return { add, finish }
}

const MAX_LENGTH = 240
/** Number of letters outside of numbers and ids below which the shape of a line is weak. */
const FEW_LETTERS = 12
const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** Return a hash of the words. Words with digits are left out, unless there are no other words. */
export function shapeOf(text: string, start: number, end: number): { readonly hash: number; readonly weak: boolean } {
  const last = Math.min(end, start + MAX_LENGTH)
  let hash = OFFSET
  let word = OFFSET
  let length = 0
  let letters = 0
  let hasDigit = false
  for (let at = start; at <= last; at++) {
    const code = at < last ? text.charCodeAt(at) : 32
    if (code >= 48 && code <= 57) hasDigit = true
    else if (((code | 32) >= 97 && (code | 32) <= 122) || code >= 128) {
      word = Math.imul(word ^ code, PRIME)
      length++
    } else {
      if (length > 0 && !hasDigit) {
        hash = Math.imul(hash ^ word, PRIME)
        letters += length
      }
      word = OFFSET
      length = 0
      hasDigit = false
    }
  }
  if (letters > 0) return { hash: hash >>> 0, weak: letters < FEW_LETTERS }
  for (let at = start; at < last; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return { hash: hash >>> 0, weak: true }
}

const CHUNK_BYTES = 65_536
/** Largest distance from the size limit at which a long line is divided between words. */
const WORD_BYTES = 256
const LINE_FEED = 10
const BYTE_ORDER_MARK = '\uFEFF'

/** Whole lines with their ends, or a part of one line that is longer than a chunk. */
export interface TextChunk {
  readonly text: string
  readonly offset: number
  readonly size: number
  readonly firstLine: number
  readonly column: number
  readonly lineEnds: readonly number[]
  readonly open: boolean
}

/** Yield chunks of text for any size of the blocks. A byte order mark is removed, and invalid bytes become U+FFFD. */
export async function* textChunks(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<TextChunk> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const buffer = new Uint8Array(CHUNK_BYTES)
  let filled = 0
  let offset = 0
  let firstLine = 1
  let column = 0

  const take = (last: boolean): TextChunk => {
    const end = chunkEnd(buffer, filled, column > 0, last)
    const decoded = decoder.decode(buffer.subarray(0, end))
    const text = offset === 0 && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded
    const ended = buffer[end - 1] === LINE_FEED
    const open = !ended && !(last && end === filled)
    const lineEnds = findLineEnds(text)
    const chunk = { text, offset, size: end, firstLine, column, lineEnds, open }
    firstLine += ended ? lineEnds.length : lineEnds.length - 1
    column = open ? column + text.length : 0
    buffer.copyWithin(0, end, filled)
    filled -= end
    offset += end
    return chunk
  }

  for await (const block of blocks) {
    for (let at = 0; at < block.length;) {
      const part = block.subarray(at, at + CHUNK_BYTES - filled)
      buffer.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === CHUNK_BYTES) yield take(false)
    }
  }
  while (filled > 0) yield take(true)
}

function chunkEnd(buffer: Uint8Array, filled: number, continued: boolean, last: boolean): number {
  if (continued) {
    const first = buffer.subarray(0, filled).indexOf(LINE_FEED)
    if (first >= 0) return first + 1
  }
  if (last) return filled
  const lastEnd = buffer.lastIndexOf(LINE_FEED, filled - 1)
  return lastEnd >= 0 ? lastEnd + 1 : partEnd(buffer, filled)
}

/** Return the end of a part of a long line: between words, or at least between characters. */
function partEnd(buffer: Uint8Array, filled: number): number {
  for (let end = filled; end > filled - WORD_BYTES; end--) if (isSeparator(buffer[end - 1]!)) return end
  let end = filled
  // At most three bytes follow the first byte of a character.
  while (end > filled - 3 && (buffer[end - 1]! & 0xc0) === 0x80) end--
  return buffer[end - 1]! >= 0xc0 ? end - 1 : filled
}

function isSeparator(byte: number): boolean {
  return byte < 48 || (byte > 57 && byte < 65) || (byte > 90 && byte < 95) || byte === 96 || (byte > 122 && byte < 127)
}

function findLineEnds(text: string): number[] {
  const ends: number[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    ends.push(end)
    start = end + 1
  }
  if (start < text.length || text === '') ends.push(text.length)
  return ends
}
