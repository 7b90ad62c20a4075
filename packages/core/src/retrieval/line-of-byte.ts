import { withLineIndex, type ContentSource } from '../content/content-source.ts'
import { LineFinder, type FoundLine } from '../search/view-hits.ts'

/** Return the number of the line that a byte of the content lies in, from 1. */
export async function lineOfByte(source: ContentSource, offset: number): Promise<number> {
  return await withLineIndex(source, (blocks) => new LineFinder(blocks).numberAt(offset))
}

/** Return the line that a byte of the content lies in. */
export async function lineAtByte(source: ContentSource, offset: number): Promise<FoundLine> {
  return await withLineIndex(source, (blocks) => new LineFinder(blocks).lineAt(offset))
}
