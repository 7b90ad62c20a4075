const MAX_LENGTH = 256
/** Parts whose length is open, in all and between two slashes: with more of them matching may take for ever. */
const MAX_OPEN_PARTS = 6
const MAX_STARS_OF_NAME = 2
const OPEN_PART = /\*+|\{/g

/**
 * Say why a pattern of paths is not matched, and what to do; `undefined` where it is.
 *
 * deepagents matches them by regular expressions that backtrack, and a model may write any: `*a*a*a*a*a*a*b` would hold
 * the process for minutes.
 */
export function refuseGlob(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || pattern === '') return 'A pattern must be a text, such as **/*.md.'
  const shown = JSON.stringify(pattern.slice(0, MAX_LENGTH))
  if (pattern.length > MAX_LENGTH) return `A pattern may have at most ${MAX_LENGTH} characters. Shorten it.`
  if (/[()]|[\]}]\+/.test(pattern))
    return `${shown} has parentheses or repeats. Write it with *, **, ?, [abc] and {a,b}.`
  const openParts = pattern.match(OPEN_PART)?.length ?? 0
  const starsOfName = Math.max(...pattern.split('/').map((name) => name.match(/\*+/g)?.length ?? 0))
  if (openParts <= MAX_OPEN_PARTS && starsOfName <= MAX_STARS_OF_NAME) return undefined
  return `${shown} has too many wildcards. Use at most ${MAX_STARS_OF_NAME} * between slashes and ${MAX_OPEN_PARTS} * and {} in all.`
}
