/** Length of the shortest and the longest useful word, in UTF-16 units. */
const SHORTEST = 3
const LONGEST = 100
/** Number of words up to which every word of a query is used. */
const FEW_WORDS = 12

/** Returns a literal pattern whole. Of other patterns, returns the names without escapes, classes, and counts. */
export function wordsOfPattern(pattern: string): string[] {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return pattern.length <= LONGEST ? [pattern] : []
  const literal = pattern
    .replace(/\[[^\]\n]{0,200}\]|\{\d{0,6},?\d{0,6}\}/g, ' ')
    .replace(/\\[bBdDsSwWAzZGnrt]/g, ' ')
    .replace(/\\(.)/g, '$1')
  return distinct(literal.match(/[\p{L}\p{N}_$-]{3,100}/gu) ?? [])
}

/** Returns the words that look like code first, then each longer word of a short query. */
export function wordsOfText(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]{3,100})`|"([^"\n]{3,100})"/g)].map(([, code, phrase]) => code ?? phrase!)
  const words = text.match(/[\p{L}\p{N}_$.:/-]{3,120}/gu) ?? []
  const named = words.map((word) => word.replace(/^[.:/-]+|[.:/-]+$/g, '')).filter(isIdentifier)
  const plain = words.length <= FEW_WORDS ? words.filter((word) => /^\p{L}{4,}$/u.test(word)) : []
  return distinct([...quoted, ...named, ...plain])
}

/** Finds paths with a folder and an extension, without a line number. */
export function pathsOfText(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_@~./\\:-]{3,200}/gu) ?? []
  return distinct(
    words
      .map((word) => word.replace(/[.:,]+$/, ''))
      .filter(
        (word) =>
          !word.includes('://') &&
          /^(?:\.{0,2}|~|[A-Za-z]:)?[/\\]?(?:[^/\\:]+[/\\])*[^/\\:]+\.[A-Za-z]\w{0,7}(?::\d{1,9})?$/.test(word),
      )
      .filter((word) => /[/\\]/.test(word))
      .map((word) => word.replace(/(?<=\.\w{1,8}):\d{1,9}$/, '')),
  )
}

/** Matches `snake_case`, `camelCase`, `Type.member`, `CONSTANT_1`. */
function isIdentifier(word: string): boolean {
  if (word.length < SHORTEST || word.length > LONGEST || word.includes('://')) return false
  return /^[\p{L}_$][\p{L}\p{N}_$.:]*$/u.test(word) && /_|\p{Ll}\p{Lu}|\p{L}(?:\.|::)\p{L}/u.test(word)
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word.length >= SHORTEST)
}
