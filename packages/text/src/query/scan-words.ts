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

/** Whole lines, or a part of one long line. The pieces of a content come in order, without its byte order mark. */
export interface TextPiece {
  /** Text without its last line end. */
  readonly text: string
  readonly startsLine: boolean
  readonly endsLine: boolean
  /** Byte offset of the end. */
  readonly end: number
  /** Return the byte offset of a UTF-16 unit. */
  byteOf(unit: number): number
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
  readonly lineCounts: readonly number[]
  readonly lines: number
  readonly bytes: number
  readonly milliseconds: number
  readonly ended: boolean
}

export async function scanWords(
  pieces: AsyncIterable<TextPiece>,
  words: readonly QueryWord[],
  { deadlineMs, caller, beforePause }: ScanOptions,
): Promise<WordScan> {
  const scanner = scannerOf(words)
  let spent = 0
  let sliceStart = performance.now()
  for await (const piece of pieces) {
    const start = performance.now()
    scanner.add(piece)
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
  let hit: WordHit | undefined
  const timesOf = (word: number): number => times[word]!
  /** Set after there were too many lines: the scoring function, and the highest score that is too low. */
  let score: OwnScore | undefined
  let least = 0
  let line = 1
  let lines = 0
  let bytes = 0
  const findWord = wordFinder(words)
  const statistics = { units: 0, length: 0, unitCounts: words.map(() => 0) }
  const lineCounts = words.map(() => 0)
  const lastLines = words.map(() => 0)
  const times = new Uint8Array(words.length)

  function add(piece: TextPiece): void {
    const { text, startsLine, endsLine, end: pieceEnd } = piece
    const isPart = !startsLine || !endsLine
    const lineEnds = lineEndsOf(text)
    bytes = pieceEnd
    hit = findWord(text, 0)
    let start = 0
    for (let index = 0; index < lineEnds.length; index++) {
      const end = lineEnds[index]!
      if (index > 0) line++
      lines = line
      const inParts = isPart || end - start > MAX_UNIT_LENGTH
      // The last piece of a long line may have only the line end, which is not a part of the line.
      if (!isPart || text !== '') addLine(piece, lineEnds, index, start, end, inParts ? PART_LENGTH : Infinity)
      start = end + 1
    }
    if (endsLine) line++
  }

  function addLine(
    piece: TextPiece,
    lineEnds: readonly number[],
    index: number,
    lineStart: number,
    lineEnd: number,
    length: number,
  ): void {
    let start = lineStart
    do {
      const end = Math.min(lineEnd, start + length)
      statistics.length += end - start
      if (hit !== undefined && hit.start < end) {
        const pairs = countWords(piece.text, end)
        countLine()
        if (!isOneTooMany(end - start))
          candidates.add({
            unit: statistics.units,
            line,
            offset: piece.byteOf(start),
            isPart: start > lineStart || (index === 0 && !piece.startsLine),
            length: end - start,
            shape: shape(piece.text, start, end, lineEnds, index),
            pairs,
            times,
          })
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
    return { ...statistics, candidates, lineCounts, lines, bytes, milliseconds, ended }
  }

  function countLine(): void {
    for (let word = 0; word < words.length; word++) {
      if (times[word] === 0) continue
      statistics.unitCounts[word]!++
      if (lastLines[word] !== line) lineCounts[word]!++
      lastLines[word] = line
    }
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

function lineEndsOf(text: string): number[] {
  const ends: number[] = []
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) ends.push(end)
  ends.push(text.length)
  return ends
}
