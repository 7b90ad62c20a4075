/**
 * Tell whether an expression can be matched on text that has one unit for each byte of UTF-8: where no part of it can
 * tell one byte beyond ASCII from another, or from a character.
 *
 * A conservative look at its source: ASCII characters, sets of them and the classes `\d`, `\w` and `\b`, without
 * `.`, negated sets, and anything else after `(?` than `:`.
 */
export function matchesSingleBytes(expression: string): boolean {
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at]!
    if (character > '~' || character === '.') return false
    if (character === '[' && expression[at + 1] === '^') return false
    if (character === '(' && expression[at + 1] === '?' && expression[at + 2] !== ':') return false
    if (character !== '\\') continue
    at++
    if (!/[dwbtfv^$\\.*+?()[\]{}|/\-"' ]/.test(expression[at] ?? '')) return false
  }
  return true
}
