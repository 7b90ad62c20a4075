const LINE_FEED = 10
const LINE_FEEDS = 0x0a0a0a0a
/** A byte of a sum holds the results of at most so many words. */
const WORDS_AT_ONCE = 255

/** Up to so many bytes, looking for each is as fast, and much faster where this code has not been compiled yet. */
const FEW_BYTES = 65_536

/** Count the LF in `bytes` from `start` to `end`: by looking for each in a few bytes, else as {@link countInBulk} does. */
export function countLineEnds(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  return end - start <= FEW_BYTES ? countByLooking(bytes.subarray(start, end)) : countInBulk(bytes, start, end)
}

/**
 * Count the LF in `bytes` from `start` to `end`, four bytes at a time, for content of which there is much.
 *
 * It takes the same time whatever the lengths of the lines, unlike looking for one LF after the other, which is ten times
 * slower where lines have twenty bytes.
 */
export function countInBulk(bytes: Uint8Array, start: number, end: number): number {
  const toWord = -(bytes.byteOffset + start) & 3
  const wordsStart = Math.min(end, start + toWord)
  const words = Math.max(0, end - wordsStart) >> 2
  const wordsEnd = wordsStart + words * 4
  let count = countOneByOne(bytes, start, wordsStart)
  if (words > 0) count += countInWords(new Int32Array(bytes.buffer, bytes.byteOffset + wordsStart, words))
  return count + countOneByOne(bytes, wordsEnd, end)
}

function countByLooking(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

function countOneByOne(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at++) if (bytes[at] === LINE_FEED) count++
  return count
}

function countInWords(words: Int32Array): number {
  let others = 0
  for (let at = 0; at < words.length;) {
    // Each byte of the sum counts the bytes in its place that are something else.
    let sum = 0
    for (const end = Math.min(words.length, at + WORDS_AT_ONCE); at < end; at++) {
      const word = words[at]! ^ LINE_FEEDS
      sum = (sum + (((((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >>> 7) & 0x01010101)) | 0
    }
    others += (sum & 255) + ((sum >>> 8) & 255) + ((sum >>> 16) & 255) + (sum >>> 24)
  }
  return words.length * 4 - others
}
