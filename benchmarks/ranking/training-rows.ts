import { LineFeatures } from '../../packages/previews/src/log/line-features.ts'
import { featureOf, type LineModel } from '../../packages/previews/src/log/line-model.ts'
import { cutPrefixes } from '../../packages/previews/src/log/line-prefixes.ts'
import { TextScanner } from '../../packages/previews/src/log/text-scanner.ts'
import { SeededRandom } from '../answer/seeded-random.ts'
import { need, norm } from '../preview/lib/text.mjs'
import type { LogCase } from './cases.ts'

/** Lines of one log with their features, to which a model is fitted. */
export interface TrainingRows {
  readonly group: string
  readonly domain: LogCase['domain']
  /** Features of all rows, one after another, and the subject of each feature. */
  readonly features: Int32Array
  readonly abouts: Uint8Array
  /** End positions of the features of each row. */
  readonly ends: Int32Array
  /** 1 for a line of the answer. */
  readonly labels: Uint8Array
  readonly weights: Float64Array
}

/** Total weight of the answer lines in each log (`GOLD_WEIGHT`), and of all other lines together (`OTHER_WEIGHT`). */
const GOLD_WEIGHT = 1
const OTHER_WEIGHT = 3
/** Number of sampled lines: of lines near the answer, and of all others. */
const NEAR_ROWS = 60
const FAR_ROWS = 160
const NEAR_LINES = 12
/** Lines within this distance of a planted answer are not counterexamples, because they also indicate the failure. */
const MADE_MARGIN = 8

const NO_WEIGHTS: LineModel = { bias: 0, weightOf: () => 0 }

/** Sample the rows of a log. The same log always gives the same rows. */
export function trainingRows(log: LogCase): TrainingRows {
  const scanner = new TextScanner(NO_WEIGHTS)
  scanner.push(log.text)
  const scan = scanner.finish()
  const { lines } = cutPrefixes(scan.kept)
  const isGold = goldOf(log)
  const golds: number[] = []
  const others: number[] = []
  for (const [index, { number, text }] of lines.entries()) (isGold(number, text) ? golds : others).push(index)
  const distances = distancesTo(golds.map((index) => lines[index]!.number))
  const random = new SeededRandom(hashOf(log.id))
  const near: number[] = []
  const far: number[] = []
  const isAnswer = answerIn(log)
  for (const index of random.shuffle(others)) {
    const distance = distances(lines[index]!.number)
    if ((log.domain === 'made' && distance <= MADE_MARGIN) || isAnswer(lines[index]!.text)) continue
    ;(distance <= NEAR_LINES ? near : far).push(index)
  }
  const drawn = [...golds, ...near.slice(0, NEAR_ROWS), ...far.slice(0, FAR_ROWS)]
  const features = new NamedFeatures(scan, lines, NO_WEIGHTS)
  const all: number[] = []
  const abouts: number[] = []
  const ends = new Int32Array(drawn.length)
  for (const [row, index] of drawn.entries()) {
    features.abouts.clear()
    features.weightOf(index)
    all.push(...features.abouts.keys())
    abouts.push(...features.abouts.values())
    ends[row] = all.length
  }
  const otherCount = drawn.length - golds.length
  return {
    group: log.group,
    domain: log.domain,
    features: Int32Array.from(all),
    abouts: Uint8Array.from(abouts),
    ends,
    labels: Uint8Array.from(drawn, (_, row) => (row < golds.length ? 1 : 0)),
    weights: Float64Array.from(drawn, (_, row) =>
      row < golds.length ? GOLD_WEIGHT / golds.length : OTHER_WEIGHT / otherCount,
    ),
  }
}

/** Return the same rows without features about some subjects. */
export function leaveOut(rows: TrainingRows, left: ReadonlySet<number>): TrainingRows {
  if (left.size === 0) return rows
  const isKept = (index: number): boolean => !left.has(rows.abouts[index]!)
  const kept = Int32Array.from(rows.features.keys()).filter(isKept)
  let count = 0
  let from = 0
  const ends = rows.ends.map((end) => {
    for (; from < end; from++) if (isKept(from)) count++
    return count
  })
  return {
    ...rows,
    features: kept.map((index) => rows.features[index]!),
    abouts: Uint8Array.from(kept, (index) => rows.abouts[index]!),
    ends,
  }
}

/** Features with their subjects. */
class NamedFeatures extends LineFeatures {
  readonly abouts = new Map<number, number>()

  protected override get listsAll(): boolean {
    return true
  }

  protected override found(about: number, value: number): void {
    this.abouts.set(featureOf(about, value), about)
  }
}

/** Return a function that tells whether a line is part of the labeled answer. */
function goldOf(log: LogCase): (number: number, text: string) => boolean {
  const { ranges } = log
  if (ranges !== undefined) return (number) => ranges.some(([first, last]) => number >= first && number <= last)
  const isAnswer = answerIn(log)
  return (_, text) => isAnswer(text)
}

/** Return a function that tells whether a line contains a part of the answer that the metric searches for. */
function answerIn(log: LogCase): (text: string) => boolean {
  const units = log.gold.units.map((unit) => need(unit) as string)
  return (text) => {
    const line = norm(text) as string
    return units.some((unit) => line.includes(unit))
  }
}

/** Return a function that computes the distance of a line to the nearest of some lines. */
function distancesTo(numbers: readonly number[]): (number: number) => number {
  return (number) => numbers.reduce((least, gold) => Math.min(least, Math.abs(gold - number)), Infinity)
}

function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}
