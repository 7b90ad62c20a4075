import type { StoredModel } from '../../packages/previews/src/log/line-model.ts'
import { minimize } from './minimize.ts'
import type { TrainingRows } from './training-rows.ts'

/** Settings for fitting a model. */
export interface FitSettings {
  /** Weight of the loss of all rows against the size of the weights. A lower number regularizes more. */
  readonly c: number
  /** Minimum number of groups that share a feature. */
  readonly leastGroups: number
  /** Number of weights that are kept. The largest weights are kept. */
  readonly mostWeights: number
}

export const SETTINGS: FitSettings = { c: 0.03, leastGroups: 4, mostWeights: 4_000 }

/** Fit a logistic regression to rows of real and made logs, with shared weights, and other weights for each domain. */
export function fitModel(logs: readonly TrainingRows[], settings: FitSettings = SETTINGS): StoredModel {
  const vocabulary = commonFeatures(logs, settings.leastGroups)
  const rows = indexRows(logs, vocabulary)
  const size = vocabulary.size
  // The order is: shared weights, weights of real logs, weights of made logs, and biases.
  const solution = minimize(3 * size + 3, (weights, gradient) => loss(rows, size, settings.c, weights, gradient))
  const weights = Float64Array.from({ length: size }, (_, index) => solution[index]! + solution[size + index]!)
  const features = [...vocabulary.keys()]
    .map((feature, index) => ({ feature, weight: weights[index]! }))
    .toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight) || one.feature - other.feature)
    .slice(0, settings.mostWeights)
  return storeModel(solution[3 * size]! + solution[3 * size + 1]!, features)
}

/** Encode the weights with 8 bits each. */
function storeModel(bias: number, weights: ReadonlyArray<{ feature: number; weight: number }>): StoredModel {
  const step = Math.abs(weights[0]?.weight ?? 1) / 127
  const kept = weights
    .map(({ feature, weight }) => ({ feature, weight: Math.round(weight / step) }))
    .filter(({ weight }) => weight !== 0)
    .toSorted((one, other) => one.feature - other.feature)
  const view = new DataView(new ArrayBuffer(kept.length * 5))
  for (const [index, { feature, weight }] of kept.entries()) {
    view.setInt32(index * 4, feature)
    view.setInt8(kept.length * 4 + index, weight)
  }
  return { bias, step, features: Buffer.from(view.buffer).toString('base64') }
}

/** Number the features that enough groups share. */
function commonFeatures(logs: readonly TrainingRows[], least: number): Map<number, number> {
  const groups = new Map<string, TrainingRows[]>()
  for (const log of logs) groups.set(log.group, [...(groups.get(log.group) ?? []), log])
  const counts = new FeatureCounts()
  let group = 0
  for (const members of groups.values()) {
    group++
    for (const { features } of members) for (const feature of features) counts.add(feature, group)
  }
  return counts.common(least)
}

/** Counts the groups that share each feature. */
class FeatureCounts {
  #bits = 16
  #features = new Int32Array(1 << this.#bits)
  #counts = new Uint16Array(1 << this.#bits)
  #lasts = new Int32Array(1 << this.#bits)
  #size = 0

  add(feature: number, group: number): void {
    const slot = this.#slot(feature)
    if (this.#lasts[slot] === group) return
    if (this.#counts[slot] === 0) this.#size++
    this.#features[slot] = feature
    this.#counts[slot]!++
    this.#lasts[slot] = group
    if (this.#size * 2 > this.#features.length) this.#grow()
  }

  common(least: number): Map<number, number> {
    const found = this.#features.filter((_, slot) => this.#counts[slot]! >= least).toSorted()
    return new Map([...found].map((feature, index) => [feature, index]))
  }

  #slot(feature: number): number {
    const mask = this.#features.length - 1
    let slot = feature & mask
    while (this.#counts[slot] !== 0 && this.#features[slot] !== feature) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [features, counts, lasts] = [this.#features, this.#counts, this.#lasts]
    this.#bits++
    this.#features = new Int32Array(1 << this.#bits)
    this.#counts = new Uint16Array(1 << this.#bits)
    this.#lasts = new Int32Array(1 << this.#bits)
    for (let old = 0; old < features.length; old++) {
      if (counts[old] === 0) continue
      const slot = this.#slot(features[old]!)
      this.#features[slot] = features[old]!
      this.#counts[slot] = counts[old]!
      this.#lasts[slot] = lasts[old]!
    }
  }
}

/** Rows of all logs. Their features are numbers. */
interface IndexedRows {
  readonly features: Int32Array
  readonly ends: Int32Array
  readonly labels: Uint8Array
  readonly weights: Float64Array
  /** 1 for rows of real logs, 2 for rows of made logs. */
  readonly domains: Uint8Array
}

function indexRows(logs: readonly TrainingRows[], vocabulary: ReadonlyMap<number, number>): IndexedRows {
  const total = logs.reduce((sum, { features }) => sum + features.length, 0)
  const features = new Int32Array(total)
  const ends: number[] = []
  const labels: number[] = []
  const weights: number[] = []
  const domains: number[] = []
  let count = 0
  for (const log of logs) {
    let at = 0
    for (const [row, end] of log.ends.entries()) {
      for (; at < end; at++) {
        const index = vocabulary.get(log.features[at]!)
        if (index !== undefined) features[count++] = index
      }
      ends.push(count)
      labels.push(log.labels[row]!)
      weights.push(log.weights[row]!)
      domains.push(log.domain === 'real' ? 1 : 2)
    }
  }
  return {
    features: features.slice(0, count),
    ends: Int32Array.from(ends),
    labels: Uint8Array.from(labels),
    weights: Float64Array.from(weights),
    domains: Uint8Array.from(domains),
  }
}

/** Compute the regularized loss of all rows, and its gradient. */
function loss(rows: IndexedRows, size: number, c: number, weights: Float64Array, gradient: Float64Array): number {
  const { features, ends, labels, domains } = rows
  let sum = 0
  for (let index = 0; index < 3 * size; index++) {
    const weight = weights[index]!
    gradient[index] = weight
    sum += 0.5 * weight * weight
  }
  gradient.fill(0, 3 * size)
  let from = 0
  for (let row = 0; row < ends.length; row++) {
    const end = ends[row]!
    const domain = domains[row]!
    const offset = domain * size
    let margin = weights[3 * size]! + weights[3 * size + domain]!
    for (let at = from; at < end; at++) margin += weights[features[at]!]! + weights[features[at]! + offset]!
    const sign = labels[row] === 1 ? 1 : -1
    const weight = rows.weights[row]! * c
    const signed = sign * margin
    sum += weight * (signed > 0 ? Math.log1p(Math.exp(-signed)) : Math.log1p(Math.exp(signed)) - signed)
    const slope = (-sign * weight) / (1 + Math.exp(signed))
    for (let at = from; at < end; at++) {
      gradient[features[at]!]! += slope
      gradient[features[at]! + offset]! += slope
    }
    gradient[3 * size]! += slope
    gradient[3 * size + domain]! += slope
    from = end
  }
  return sum
}
