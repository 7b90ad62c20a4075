/**
 * Return how many bytes from `start` make up the first `units` UTF-16 units of their text, as a decoder of UTF-8 reads
 * them by the Encoding Standard: of what is invalid, each longest beginning of a character becomes one U+FFFD.
 *
 * Where they end within a character of two units, all of it counts.
 */
export function unitsToBytes(bytes: Uint8Array, start: number, end: number, units: number): number {
  let at = start
  let left = units
  while (left > 0 && at < end) {
    const length = characterLength(bytes, at, end)
    left -= length === 4 ? 2 : 1
    at += Math.abs(length)
  }
  return at - start
}

/** Return where the first character begins at or after `at`, by the same rules. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let from = at - 1; from >= 0 && from >= at - 3; from--) {
    if ((bytes[from]! & 0xc0) !== 0x80) return Math.max(at, from + Math.abs(characterLength(bytes, from, bytes.length)))
  }
  return at
}

/** Bytes of the character at `at`, 1 to 4; of an invalid one, how many bytes become one U+FFFD, as a negative number. */
function characterLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return -1
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  let lower = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  let upper = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  for (let index = 1; index < length; index++) {
    const byte = at + index < end ? bytes[at + index]! : 0
    if (byte < lower || byte > upper) return -index
    lower = 0x80
    upper = 0xbf
  }
  return length
}
