/** A bound that retrieval is built for, and how the run stands to it. */
export interface Bound {
  /** What is bounded, such as `first call of a search, 100 MB, to GNU grep`. */
  readonly name: string
  readonly most: number
  /** The worst that was measured; absent where it could not be. */
  readonly value: number | undefined
  /** Where that was. */
  readonly where: string
  readonly unit?: string
}

/** One part of the report. */
export interface Section {
  /** Tables in Markdown. */
  readonly text: string
  /** What of them is worth publishing; all of them where it is absent. */
  readonly summary?: string
  readonly bounds: readonly Bound[]
  /** All figures, for comparing runs. */
  readonly figures: unknown
}

/** Take the worst of some values as what is bounded. */
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
