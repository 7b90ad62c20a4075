/** Shorter beginnings are not worth to be said once. */
const LEAST_PREFIX = 4

/**
 * Write names one after another, those beside each other that begin with the same folder or host as `src/{a.ts,b.ts}`.
 */
export function foldNames(names: readonly string[]): string {
  const parts: string[] = []
  for (let index = 0; index < names.length;) {
    const first = names[index]!
    const prefix = sharedStart(first, names[index + 1] ?? '')
    let end = index + 1
    if (prefix.length >= LEAST_PREFIX) {
      while (end < names.length && names[end]!.startsWith(prefix)) end++
      const rests = names.slice(index, end).map((name) => name.slice(prefix.length))
      parts.push(`${prefix}{${rests.join(',')}}`)
    } else parts.push(first)
    index = end
  }
  return parts.join(', ')
}

/** What two names have in common up to a slash or colon. */
function sharedStart(one: string, other: string): string {
  let end = 0
  for (let at = 0; at < one.length && one[at] === other[at]; at++) if (one[at] === '/' || one[at] === ':') end = at + 1
  return one.slice(0, end)
}
