/** The figure of another program for the same work, and the ratio. */
export interface Beside {
  readonly name: string
  readonly value: number
  /** Cost of Spillway divided by the other cost; for scores, the ratio of missed points. `null` if the other is 0. */
  readonly times: number | null
}

/** A figure of Spillway, compared with the minimum for the work, and with the best other program. */
export interface Comparison {
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly floor?: Beside | undefined
  readonly other?: Beside | undefined
}

/** A named figure; absent if it could not be measured. */
export interface Named {
  readonly name: string
  readonly value: number | undefined
}

/** Compare a cost with the lowest of the other costs. Returns `undefined` if there are no other costs. */
export function besideLowest(ours: number, others: readonly Named[]): Beside | undefined {
  const [best] = known(others).toSorted((one, other) => one.value - other.value)
  return best && { ...best, times: quotient(ours, best.value) }
}

/** Compare a score with the highest other score. If `most` is set, the points missing from `most` are compared. */
export function besideHighest(ours: number, others: readonly Named[], most?: number): Beside | undefined {
  const [best] = known(others).toSorted((one, other) => other.value - one.value)
  if (best === undefined) return undefined
  return { ...best, times: most === undefined ? quotient(best.value, ours) : quotient(most - ours, most - best.value) }
}

const known = (all: readonly Named[]): (Named & { readonly value: number })[] =>
  all.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))

function quotient(value: number, base: number): number | null {
  if (value === base) return 1
  return base === 0 ? null : value / base
}

/** Return the ratio as a number. */
export const ratioOf = ({ times }: Beside): number => times ?? Infinity

/** Return the larger ratio of a comparison. */
export const timesOf = ({ floor, other }: Comparison): number =>
  Math.max(0, ...[floor, other].map((beside) => (beside === undefined ? 0 : ratioOf(beside))))

/** Sort comparisons by their larger ratio, the worst first. */
export const worstFirst = (all: readonly Comparison[]): Comparison[] =>
  all.toSorted((one, other) => timesOf(other) - timesOf(one))
