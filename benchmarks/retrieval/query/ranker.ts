/** A passage that was found: lines of the content, or text where its lines are not known. */
export type FoundPassage = { readonly first: number; readonly last: number } | { readonly text: string }

/** Finds the first five passages of a content for a question. */
export interface Ranker {
  readonly name: string
  /** Take in a content; what is returned answers questions about it, best passage first. */
  open(text: string): Promise<(question: string) => Promise<readonly FoundPassage[]>>
}

/** Passages looked at. */
export const PASSAGES = 5

/** Lines of a passage, where an implementation takes what it is given: as many as ours shows. */
const BLOCK_LINES = 9

/** Divide a text into passages of nine lines. */
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
