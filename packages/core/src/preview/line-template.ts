/** Hash a line with its numbers left out, but for zeros: "3 failed" and "4 failed" are alike, "0 failed" is not. */
export function lineTemplate(line: string): number {
  let hash = 5381
  let index = 0
  let end = Math.min(line.length, 800)
  for (;;) {
    if (index >= end) {
      if (end === line.length) break
      // Of a long line, the start and the end make it out.
      end = line.length
      index = Math.max(index, end - 240)
    }
    const code = line.charCodeAt(index++)
    if (code >= 48 && code <= 57) {
      let zero = code === 48
      for (; index < end; index++) {
        const next = line.charCodeAt(index)
        if (next < 48 || next > 57) break
        if (next !== 48) zero = false
      }
      hash = Math.imul(hash ^ (zero ? 1 : 2), 0x01000193)
    } else hash = Math.imul(hash ^ code, 0x01000193)
  }
  return hash >>> 0
}
