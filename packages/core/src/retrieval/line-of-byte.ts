import type { ContentSource } from '../content/content-source.ts'
import { withLineIndex } from '../content/with-line-index.ts'
import { countLineEnds } from '../storage/count-line-ends.ts'
import { LINE_BLOCK_BYTES } from '../storage/line-index.ts'

/** Return the number of the line that a byte of the content lies in, from 1. */
export async function lineOfByte(source: ContentSource, offset: number): Promise<number> {
  const number = Math.floor(offset / LINE_BLOCK_BYTES)
  const start = number * LINE_BLOCK_BYTES
  return await withLineIndex(source, async ({ index, block }) => {
    const before = offset === start ? 0 : countLineEnds(await block(number), 0, offset - start)
    return index.lineEndsBefore(number) + before + 1
  })
}
