import { LINE_BLOCK_BYTES, type LineIndex } from '@spillway/text/internal'
import { StorageError } from '../storage/storage-error.ts'
import type { ContentSource } from './content-source.ts'

/** A line index, and the blocks by which it was made. */
export interface IndexedBlocks {
  readonly index: LineIndex
  /** Return the block of {@link LINE_BLOCK_BYTES} with this number, from 0; the last is shorter. It is borrowed. */
  block(number: number): Promise<Uint8Array>
}

/**
 * Read content by its line index, and make sure that the index is its own.
 *
 * The line ends in each block that is read are counted. Where they are not those of the index that was kept, `use` is
 * given up at that block and runs once more with an index made from the content: so it must not do anything before it
 * returns that may not be done twice. Rejects with `corrupt` where the content changes while it is read.
 */
export async function withLineIndex<Result>(
  source: ContentSource,
  use: (blocks: IndexedBlocks) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(checkedBlocks(source, await source.lineIndex()))
  } catch (error) {
    if (!(error instanceof StaleIndexError)) throw error
  }
  try {
    return await use(checkedBlocks(source, await source.lineIndex({ rebuild: true })))
  } catch (error) {
    if (!(error instanceof StaleIndexError)) throw error
    const message = `${source.reference} changed while it was read. Run the tool again that gave the content.`
    throw new StorageError('corrupt', message, { reference: source.reference })
  }
}

/** Carries a mismatch past the caller's code. */
class StaleIndexError extends Error {
  override readonly name = 'StaleIndexError'
}

function checkedBlocks(source: ContentSource, index: LineIndex): IndexedBlocks {
  return {
    index,
    block: async (number) => {
      const bytes = await source.read(number * LINE_BLOCK_BYTES, LINE_BLOCK_BYTES)
      if (!index.fits(number, bytes)) throw new StaleIndexError(`Block ${number} has other lines than its index.`)
      return bytes
    },
  }
}
