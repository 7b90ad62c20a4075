/** A span of bytes, or of the units of a text, the end not included. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}
