import type { CountTokens } from './count-tokens.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** Texts up to this many UTF-16 units are estimated whole. */
const WHOLE_UNITS = 131_072
const SLICES = 64
const SLICE_UNITS = 1_024

/**
 * Estimate the tokens of a text of any length at a cost that does not grow with it.
 *
 * Up to 128 K characters the whole text is counted; beyond, 64 evenly spaced slices of it are, and their mean is taken for
 * the rest. The same text always gives the same number.
 */
export function estimateLargeTokens(text: string, countTokens: CountTokens = estimateTokens): number {
  if (text.length <= WHOLE_UNITS) return countTokens(text)
  const step = (text.length - SLICE_UNITS) / (SLICES - 1)
  let tokens = 0
  for (let slice = 0; slice < SLICES; slice++) {
    const start = Math.floor(slice * step)
    tokens += countTokens(text.slice(start, start + SLICE_UNITS))
  }
  return Math.ceil((tokens / (SLICES * SLICE_UNITS)) * text.length)
}
