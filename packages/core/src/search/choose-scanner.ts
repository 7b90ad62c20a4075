import { createPatternMatcher } from '@spillway/text/internal/engines'
import { singleByteText, type PatternMatcher } from '@spillway/text/internal'
import { escapeExpression, type ChainLink, type SearchPattern } from '@spillway/text/internal/patterns'
import { byteTraits } from './byte-traits.ts'
import { LiteralScanner } from './literal-scanner.ts'
import type { Scanner } from './scanner.ts'
import { TextScanner } from './text-scanner.ts'

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
  const part = pattern.partExpression ?? expression
  const matcher = (source: string): PatternMatcher => createPatternMatcher(source, { ignoreCase, unicode }, deadlineMs)
  const engines: { line?: PatternMatcher; part?: PatternMatcher } = {}
  const texts = pattern.chain === undefined ? (required ?? []) : pattern.chain.map(({ text }) => [text])
  const needles = ignoreCase ? [] : texts.flatMap(needleOf)
  const traits = unicode ? { isSingleByte: false, seesLineEnds: true } : byteTraits(expression)
  // Beyond ASCII, lower case may be of another length, or a letter of ASCII.
  const chain = ignoreCase && !traits.isSingleByte ? undefined : pattern.chain?.map(inBytes)
  return new TextScanner({
    line: new RegExp(expression, `${flags}g`),
    text: new RegExp(pattern.textExpression, `${pattern.textFlags}g`),
    part: new RegExp(part, `${flags}g`),
    required: (required ?? []).map((set) => new RegExp(set.map(escapeExpression).join('|'), ignoreCase ? 'gi' : 'g')),
    needles,
    chain,
    ignoreCase,
    cost: pattern.cost,
    traits,
    engine: (unit) => (engines[unit] ??= matcher(unit === 'line' ? expression : part)),
    signal,
  })
}

/** A string as text that has one unit for each byte. */
function inBytes({ text, isGreedy }: ChainLink): ChainLink {
  const bytes = new TextEncoder().encode(text)
  return { text: singleByteText(bytes, 0, bytes.length), isGreedy }
}

/** A set of one string is found in the bytes. */
function needleOf([text, ...others]: readonly string[]): Uint8Array[] {
  return text === undefined || others.length > 0 || NOT_IN_BYTES.test(text) ? [] : [new TextEncoder().encode(text)]
}
