/** A found passage: lines of the content, or text if its lines are unknown. */
export type FoundPassage = { readonly first: number; readonly last: number } | { readonly text: string }

/** Finds the first five passages of a content for a question. */
export interface Ranker {
  readonly name: string
  /** Index content. Returns a function that answers questions about it, with the best passage first. */
  open(text: string): Promise<(question: string) => Promise<readonly FoundPassage[]>>
}

/** Number of evaluated passages. */
export const PASSAGES = 5

/** Number of lines in a passage for implementations without own passages. Ours shows as many. */
const BLOCK_LINES = 9

/** Split a text into passages of nine lines. */
export function blocksOf(
  text: string,
): readonly { readonly first: number; readonly last: number; readonly text: string }[] {
  const lines = text.split('\n')
  return Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, index) => {
    const start = index * BLOCK_LINES
    const block = lines.slice(start, start + BLOCK_LINES)
    return { first: start + 1, last: start + block.length, text: block.join('\n') }
  })
}
