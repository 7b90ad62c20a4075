import { PatternError } from '@spillway/text/internal'
import { parseSearchPattern, type SearchPattern } from '@spillway/text/internal/patterns'
import type { ContentSource } from '../content/content-source.ts'
import { callOf } from './call-of.ts'
import { describeMatches } from './describe-matches.ts'
import type { HitCounts } from './describe-matches.ts'
import { findHits } from './find-hits.ts'
import type { FoundHits } from './find-hits.ts'
import { patternVariants } from './pattern-variants.ts'
import { lineOfByte } from './line-of-byte.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { PatternRequest } from './retrieval-input.ts'

/** The part of the time of a call that looking for a hint may take. */
const HINT_PART = 1 / 8

/** Up to so many bytes are searched for a hint whole; of more, the beginning: a small part of what was searched already. */
const WHOLE_BYTES = 1_048_576
const LEAST_BYTES = 262_144
const SEARCHED_PART = 1 / 64

/** Where patterns found nothing, look for what was meant, and say how to find it: at most one line. */
export async function hintVariant(
  request: PatternRequest,
  patterns: readonly SearchPattern[],
  searched: FoundHits,
  source: ContentSource,
  context: RetrievalContext,
): Promise<string[]> {
  const variants = variantsOf(request, patterns)
  const found = await count(variants, request, searched, source, context)
  if (found === undefined) return []
  const variant = variants.find((_, index) => found.counts[index]! > 0)
  if (variant === undefined) return []
  // Of several patterns there is one variant of each, and they are meant together.
  const several = patterns.length > 1
  const index = variants.indexOf(variant)
  const counts: HitCounts = several
    ? found
    : { counts: [found.counts[index]!], lines: found.counts[index]!, total: found.counts[index]! }
  const shown = several ? request.patterns : [variant.pattern.text]
  const { ignore_case, ...call } = callOf({ ...request, patterns: shown, ignoreCase: variant.ignoreCase })
  const asked = context.formatCall({ ...call, line_range: request.range, ignore_case })
  const isPart = found.span.end < searched.span.end
  const least = found.stopped === undefined ? '' : 'at least '
  return [
    `[${variant.label}: ${least}${describeMatches(counts, shown, isPart ? found.range : undefined)}. To see them: ${asked}]`,
  ]
}

interface Variant {
  readonly label: string
  readonly pattern: SearchPattern
  readonly ignoreCase: boolean
}

function variantsOf({ ignoreCase }: PatternRequest, patterns: readonly SearchPattern[]): Variant[] {
  return patterns.flatMap(({ text, problem, ignoreCase: ignores }) =>
    patternVariants(text, { ignoreCase: ignores, isLiteral: problem !== undefined })
      .map((variant) => ({ ...variant, pattern: parseSearchPattern(variant.pattern, variant) }))
      .filter((variant) => variant.ignoreCase !== ignores || variant.pattern.problem === undefined)
      .filter((variant) => patterns.length === 1 || (variant.ignoreCase && !ignoreCase)),
  )
}

async function count(
  variants: readonly Variant[],
  request: PatternRequest,
  { span }: FoundHits,
  source: ContentSource,
  context: RetrievalContext,
): Promise<FoundHits | undefined> {
  if (variants.length === 0) return undefined
  const bytes = span.end - span.start
  const part = Math.max(LEAST_BYTES, bytes * SEARCHED_PART)
  const start = request.range?.start ?? 1
  const range = bytes <= WHOLE_BYTES ? request.range : { start, end: (await lineOfByte(source, span.start + part)) - 1 }
  // All that would be looked at is one long line.
  if (range !== undefined && range.end < range.start) return undefined
  const deadlineMs = context.deadlineMs * HINT_PART
  const patterns = variants.map(({ pattern }) => pattern)
  try {
    const selection = { range, skip: 0, limit: 0, fromEnd: false }
    return await findHits(source, patterns, selection, { ...context, deadlineMs })
  } catch (error) {
    // A variant may take longer than the pattern, or be more than an engine can do: then there is no hint.
    if (error instanceof PatternError) return undefined
    throw error
  }
}
