import type { OutlineSymbol } from './outline.ts'

/** Share of the definitions that patterns find which an outline may miss: patterns also find some that are none. */
const MOST_MISSED = 0.25
/** What stands in functions belongs to them. */
const FUNCTIONS = /^(?:function|method|constructor|destructor|getter|setter|accessor|subroutine|procedure)$/

/**
 * Complete an outline with what patterns find outside its functions, where it misses much of that.
 *
 * A grammar gives up where code is not what it expects, such as a macro that stands for a keyword, and finds nothing up to
 * the end of the block, which may be the whole file.
 */
export function completeOutline(
  outline: readonly OutlineSymbol[],
  patterns: readonly OutlineSymbol[],
): readonly OutlineSymbol[] {
  const known = new Set(outline.map(({ line }) => line))
  const functions = outline.filter(({ kind }) => FUNCTIONS.test(kind))
  const missed: OutlineSymbol[] = []
  let next = 0
  /** The last line of the functions that begin before a definition. */
  let end = 0
  for (const symbol of patterns) {
    for (; next < functions.length && functions[next]!.line <= symbol.line; next++)
      end = Math.max(end, functions[next]!.endLine)
    if (symbol.line > end && !known.has(symbol.line)) missed.push(symbol)
  }
  if (missed.length <= patterns.length * MOST_MISSED) return outline
  return [...outline, ...missed].toSorted((one, other) => one.line - other.line)
}
