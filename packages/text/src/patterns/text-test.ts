import { createLinearMatcher } from './linear-matcher.ts'
import { SyntaxFailure } from './pattern-tree.ts'
import { parseSearchPattern } from './search-pattern.ts'

/** Tests a text in linear time. It yields about every 2 ms. */
export type TextTest = (text: string) => Generator<undefined, boolean>

/** Create a test by code points for a text or its parts. Returns `undefined` if matching is not linear. */
export function createTextTest(pattern: string, whole: boolean): TextTest | undefined {
  const { expression, ignoreCase, problem } = parseSearchPattern(pattern, { ignoreCase: false })
  if (problem !== undefined) return undefined
  try {
    const matcher = createLinearMatcher(whole ? `^(?:${expression})$` : expression, ignoreCase ? 'isu' : 'su')
    return matcher && ((text) => matcher.test(text))
  } catch (error) {
    // Without the flag `u`, more is valid.
    if (error instanceof SyntaxFailure) return undefined
    throw error
  }
}
