import type { MeasuredBlock } from './measure-content.ts'

/** Roughly what the replacement says beside its preview, in tokens: the frame, and a reference for each block. */
const FRAME_TOKENS = 150
const REFERENCE_TOKENS = 60

/** Estimate what a replacement says beside its preview, for so many stored parts. */
export const frameTokens = (parts: number): number => FRAME_TOKENS + REFERENCE_TOKENS * parts

/** Choose what to store of a result over the limit: the largest blocks, until the others and the replacement fit. */
export function chooseBlocks(
  blocks: readonly MeasuredBlock[],
  maxResultTokens: number,
  previewTokens: number,
): MeasuredBlock[] {
  let rest = blocks.reduce((sum, block) => sum + block.tokens, 0)
  const chosen: MeasuredBlock[] = []
  const candidates = blocks.filter((block) => block.isStorable).sort((a, b) => b.tokens - a.tokens || a.index - b.index)
  for (const candidate of candidates) {
    if (rest + previewTokens + frameTokens(chosen.length) <= maxResultTokens) break
    chosen.push(candidate)
    rest -= candidate.tokens
  }
  return chosen.sort((a, b) => a.index - b.index)
}
