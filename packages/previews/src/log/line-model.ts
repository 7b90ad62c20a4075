import { decodeBase64 } from '@spillway/text/internal'
import type { LineWords } from './line-words.ts'

/** A linear model of the importance of lines, with a weight for each known feature. */
export interface LineModel {
  /** Weight of a line that has no features. */
  readonly bias: number
  /** Return the weight of a feature, or 0 for an unknown feature. */
  weightOf(feature: number): number
}

/** Kinds of features. A feature is the hash of its kind and its value. */
export const FEATURE = {
  word: 1,
  pair: 2,
  first: 3,
  firstPair: 4,
  last: 5,
  before: 6,
  after: 7,
  fromEnd: 8,
  fromStart: 9,
  place: 10,
  templates: 11,
  shapes: 12,
  kinds: 13,
  length: 14,
  red: 15,
  location: 16,
  exception: 17,
  rarest: 18,
  rareWords: 19,
  newWords: 20,
  meanCount: 21,
  uniqueNear: 22,
  odd: 23,
  skeletons: 24,
  indent: 25,
  blanks: 26,
  severity: 27,
  errors: 28,
  token: 29,
  tokenBefore: 30,
  tokenAfter: 31,
  unlike: 32,
  alike: 33,
} as const

export function featureOf(about: number, value: number): number {
  const hash = Math.imul(value ^ Math.imul(about, 0x9e3779b1), 0x85ebca6b)
  return Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
}

export function ownWeight(model: LineModel, line: LineWords): number {
  let weight = 0
  for (let index = 0; index < line.count; index++) weight += model.weightOf(featureOf(FEATURE.word, line.words[index]!))
  return line.red ? weight + model.weightOf(featureOf(FEATURE.red, 0)) : weight
}

/** A model as it is stored. `features` has sorted hashes, then weights of 8 bits, as Base64. */
export interface StoredModel {
  readonly bias: number
  /** Factor of the stored weights. */
  readonly step: number
  readonly features: string
}

/** Number of bytes of a hash and its weight. */
const FEATURE_BYTES = 5

export function readModel({ bias, step, features }: StoredModel): LineModel {
  const bytes = decodeBase64(features)!
  const count = bytes.length / FEATURE_BYTES
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const bits = 33 - Math.clz32(Math.max(1, count))
  const mask = (1 << bits) - 1
  const hashes = new Int32Array(mask + 1)
  const weights = new Float64Array(mask + 1)
  /** For each value of the first 16 bits, 1 if a known feature has it. Most unknown features are found here. */
  const marks = new Uint8Array(65_536)
  for (let index = 0; index < count; index++) {
    const hash = view.getInt32(index * 4)
    let slot = hash & mask
    while (weights[slot] !== 0) slot = (slot + 1) & mask
    hashes[slot] = hash
    marks[hash >>> 16] = 1
    weights[slot] = view.getInt8(count * 4 + index) * step
  }
  return {
    bias,
    weightOf(feature) {
      if (marks[feature >>> 16] === 0) return 0
      let slot = feature & mask
      while (weights[slot] !== 0) {
        if (hashes[slot] === feature) return weights[slot]!
        slot = (slot + 1) & mask
      }
      return 0
    },
  }
}
