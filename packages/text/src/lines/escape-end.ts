/** The index after the terminal escape sequence that starts at `index`. */
export function escapeEnd(text: string, index: number, end: number): number {
  const type = text.charCodeAt(index + 1)
  let at = index + 2
  if (type === 91) {
    for (; at < end; at++) {
      const code = text.charCodeAt(at)
      if (code >= 64 && code <= 126) return at + 1
      if (code < 32 || code > 126) return at
    }
    return end
  }
  if (type === 80 || type === 88 || (type >= 93 && type <= 95)) {
    // A string, such as an operating system command, ends at BEL or at ESC \.
    const limit = Math.min(end, index + 4_096)
    for (; at < limit; at++) {
      const code = text.charCodeAt(at)
      if (code === 7) return at + 1
      if (code === 27) return Math.min(end, at + 2)
    }
    return Math.min(end, index + 2)
  }
  if (type >= 32 && type <= 47) {
    // Intermediate characters, such as those that select a character set, and the one that ends them.
    while (at < end && text.charCodeAt(at) >= 32 && text.charCodeAt(at) <= 47) at++
    return Math.min(end, at + 1)
  }
  return Math.min(end, index + (type >= 48 && type <= 126 ? 2 : 1))
}
