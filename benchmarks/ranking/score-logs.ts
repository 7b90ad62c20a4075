import { bootstrap } from '../preview/lib/bootstrap.ts'
import { score } from '../preview/lib/score.mjs'
import { countTokens } from '../preview/lib/tokens.mjs'
import type { LogCase } from './cases.ts'

/** Tokens of a preview. */
export const BUDGET = 1_000

/** Shares of a log's answer that a preview shows. */
export interface LogScore {
  /** Share of the answer lines. */
  readonly share: number
  /** 1 if any answer line is shown. */
  readonly any: number
  /** Share of the answer lines that are not frames of a stack trace; `undefined` if all are frames. */
  readonly withoutFrames: number | undefined
}

/** Matches a frame of a stack trace, as in the report on frames. */
const FRAME =
  /^\s*(?:at [\w$<.[#]|File ".{1,300}", line \d|#\d+ |from \S+:\d+:in|\d+: [\w<]|\.{3} \d+ more|# \.?\/\S+:\d+|\S+\.go:\d+)/

/** Score the preview of a log. */
export function scoreLog(log: LogCase, preview: string): LogScore {
  const shareOf = (units: readonly string[]): number =>
    (score({ category: 'logs', text: log.text, gold: { ...log.gold, units } }, preview, BUDGET) as { frac: number })
      .frac
  const others = log.gold.units.filter((unit) => !FRAME.test(unit))
  const share = shareOf(log.gold.units)
  return { share, any: share > 0 ? 1 : 0, withoutFrames: others.length === 0 ? undefined : shareOf(others) }
}

/** Count the tokens of the lines in a preview, without the preview's own notes. */
export function countLineTokens(preview: string): number {
  return countTokens(preview.replace(/^\[(?:… )?[\d,]+ lines?\b[^\n]*\n?/gm, '').replace(/^\d+\| /gm, ''))
}

/** Return a mean in percent, with its interval from resampled groups. */
export function meanOf(pairs: ReadonlyArray<readonly [string, number]>): string {
  if (pairs.length === 0) return '–'
  const mean = pairs.reduce((sum, [, value]) => sum + value, 0) / pairs.length
  const [low, high] = bootstrap(pairs.map(([group, value]) => ({ group, value })))
  return `${percent(mean)} [${percent(low)}, ${percent(high)}]`
}

const percent = (value: number): string => (100 * value).toFixed(1)
