import { createLinearMatcher } from './linear-matcher.ts'
import { SyntaxFailure } from './pattern-tree.ts'
import { parseSearchPattern } from './search-pattern.ts'

/** Tests a text in linear time. The generator yields about every 2 ms. */
export type TextTest = (text: string) => Generator<undefined, boolean>

/** Create a test for a whole text or its parts, by code points. Returns `undefined` if matching would not be linear. */
export function createTextTest(pattern: string, whole: boolean): TextTest | undefined {
  const { expression, ignoreCase, problem } = parseSearchPattern(pattern, { ignoreCase: false })
  if (problem !== undefined) return undefined
  try {
    const matcher = createLinearMatcher(whole ? `^(?:${expression})$` : expression, ignoreCase ? 'isu' : 'su')
    return matcher && ((text) => matcher.test(text))
  } catch (error) {
    // Some patterns are valid only without the flag `u`.
    if (error instanceof SyntaxFailure) return undefined
    throw error
  }
}
