import type { Comparison } from './comparison.ts'

/** A limit of a benchmark, and the worst figure that the run measured for it. */
export interface Bound {
  /** The bounded figure, for example `first call of a search, 100 MB, to GNU grep`. */
  readonly name: string
  readonly most: number
  /** The worst measured figure; absent if it could not be measured. */
  readonly value: number | undefined
  /** The case with the worst figure. */
  readonly where: string
  readonly unit?: string
}

/** One part of the report. */
export interface Section {
  /** Tables in Markdown. */
  readonly text: string
  readonly bounds: readonly Bound[]
  /** The figures for docs/benchmarks.md. Defaults to none. */
  readonly comparisons?: readonly Comparison[]
  /** All figures, for comparing runs. */
  readonly figures: unknown
}

/** Return the bound with the worst of some values. */
export function worst(
  name: string,
  most: number,
  values: readonly { readonly value: number | undefined; readonly where: string }[],
  unit?: string,
): Bound {
  const known = values.filter(({ value }) => value !== undefined)
  const [first] = known.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))
  return { name, most, value: first?.value, where: first?.where ?? '', ...(unit !== undefined && { unit }) }
}
