/** Hash a line with its numbers left out, but for zeros: "3 failed" and "4 failed" are alike, "0 failed" is not. */
export function lineTemplate(line: string): number {
  let hash = 5381
  let index = 0
  const end = Math.min(line.length, 800)
  while (index < end) {
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
