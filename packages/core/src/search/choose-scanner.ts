import { createPatternMatcher } from '#platform'
import type { PatternMatcher } from '../platform/platform.ts'
import { LiteralScanner } from './literal-scanner.ts'
import { matchesSingleBytes } from './matches-single-bytes.ts'
import type { Scanner } from './scanner.ts'
import type { SearchPattern } from './search-pattern.ts'
import { TextScanner } from './text-scanner.ts'

const METACHARACTERS = /[\\^$.*+?()[\]{}|/]/g
/** What bytes cannot tell apart, or what is left out of lines before they are matched. */
const NOT_IN_BYTES = /[\r\n\uFEFF\uFFFD\p{Surrogate}]/u

/** How a scanner is limited. */
export interface ScannerOptions {
  /** Milliseconds that an engine elsewhere may match, apart from what the size of the content adds. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** Choose how a pattern is found: fixed text in the bytes, all else in decoded text. */
export function chooseScanner(pattern: SearchPattern, { deadlineMs, signal }: ScannerOptions): Scanner {
  const { literal, ignoreCase, expression, flags, required } = pattern
  if (literal !== undefined && literal !== '' && !ignoreCase && !NOT_IN_BYTES.test(literal))
    return new LiteralScanner(literal)
  const unicode = flags.includes('u')
  let engine: PatternMatcher | undefined
  const prefilter = required?.map((text) => text.replace(METACHARACTERS, '\\$&')).join('|')
  return new TextScanner({
    line: new RegExp(expression, `${flags}g`),
    text:
      pattern.textExpression === undefined
        ? undefined
        : new RegExp(pattern.textExpression, `${pattern.textFlags ?? flags}g`),
    part: new RegExp(pattern.partExpression ?? expression, `${flags}g`),
    required: prefilter === undefined ? undefined : new RegExp(prefilter, ignoreCase ? 'gi' : 'g'),
    cost: pattern.cost,
    asSingleBytes: !unicode && matchesSingleBytes(expression),
    engine: () => (engine ??= createPatternMatcher(expression, { ignoreCase, unicode }, deadlineMs)),
    signal,
  })
}
