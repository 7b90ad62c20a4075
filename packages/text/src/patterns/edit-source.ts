/** A span of a text, and what is put in its place. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Apply edits that do not overlap; those at the same place in their order. */
export function editSource(source: string, edits: readonly Edit[]): string {
  let edited = ''
  let at = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    edited += source.slice(at, start) + text
    at = end
  }
  return edited + source.slice(at)
}
