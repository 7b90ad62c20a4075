/** An object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Return the values that occur more than once. */
export function duplicatesOf(values: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>()
  return values.filter((value) => seen.has(value) || !seen.add(value))
}
