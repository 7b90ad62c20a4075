/** A span of bytes, the end not included. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/**
 * Read a `Range` header (RFC 9110, section 14): `beyond` where it begins after the end, `undefined` where everything is to be
 * sent, as for other units, several ranges and what cannot be read.
 */
export function parseRange(header: string | null, size: number): ByteSpan | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'beyond' : { start: Math.max(0, size - Number(last)), end: size }
  const start = Number(first)
  const end = last === '' ? size : Math.min(size, Number(last) + 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'beyond' : { start, end }
}
