import { LONG_LINE_LENGTH } from '../platform/platform.ts'
import type { ByteSpan } from './byte-span.ts'
import type { ChainLink } from './literal-chain.ts'

/**
 * Find where a chain of strings is in a line, at or after `from`: where the expression would match that it stands for.
 *
 * Takes time linear in the line.
 */
export function matchChain(line: string, chain: readonly ChainLink[], from: number): ByteSpan | undefined {
  const firsts: number[] = []
  let at = from
  for (const { text } of chain) {
    const first = line.indexOf(text, at)
    if (first < 0) return undefined
    firsts.push(first)
    at = first + text.length
  }
  // The last place of each that leaves room for those behind it.
  const lasts: number[] = []
  let before = line.length
  for (const { text } of chain.toReversed()) {
    before = line.lastIndexOf(text, before - text.length)
    lasts.unshift(before)
  }
  let end = firsts[0]! + chain[0]!.text.length
  for (const [index, { text, isGreedy }] of chain.entries()) {
    if (index > 0) end = (isGreedy ? lasts[index]! : line.indexOf(text, end)) + text.length
  }
  return { start: firsts[0]!, end }
}

/** Find where a chain is in a line, in a very long one each time. */
export function matchChains(
  line: string,
  chain: readonly ChainLink[],
  take: (match: ByteSpan, isLong: boolean) => void,
): void {
  const isLong = line.length > LONG_LINE_LENGTH
  let match = matchChain(line, chain, 0)
  while (match !== undefined) {
    take(match, isLong)
    match = isLong ? matchChain(line, chain, match.end) : undefined
  }
}
