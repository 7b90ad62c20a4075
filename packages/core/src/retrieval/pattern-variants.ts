import { escapeExpression } from '@spillway/text/internal/patterns'

/** Another way to write a pattern that found nothing. */
export interface PatternVariant {
  /** What is different, to stand before what it finds. */
  readonly label: string
  readonly pattern: string
  readonly ignoreCase: boolean
}

/** How a pattern was searched. */
export interface PatternReading {
  readonly ignoreCase: boolean
  /** Whether it was searched as it stands, being no valid expression. */
  readonly isLiteral: boolean
}

/**
 * List what a pattern may have been meant to be, the likeliest first: in another case, with quotes as they stand in JSON
 * within JSON, with one backslash where there are two, without anchors, as literal text.
 */
export function patternVariants(pattern: string, { ignoreCase, isLiteral }: PatternReading): PatternVariant[] {
  const written = (label: string, variant: string): PatternVariant[] =>
    variant === pattern || variant === '' ? [] : [{ label, pattern: variant, ignoreCase }]
  const otherCase = { label: 'In another case', pattern, ignoreCase: true }
  return [
    ...(ignoreCase || !/\p{L}/u.test(pattern) ? [] : [otherCase]),
    ...(isLiteral
      ? written(
          'Without backslashes',
          pattern.includes('\\') ? escapeExpression(pattern.replaceAll('\\', '')) : pattern,
        )
      : [
          ...written('With quotes escaped or not', pattern.replace(/\\*"/g, String.raw`\\*"`)),
          ...written('With single backslashes', pattern.replaceAll('\\\\', '\\')),
          ...written('Without anchors', pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')),
          ...written('As literal text', escapeExpression(pattern)),
        ]),
  ]
}
