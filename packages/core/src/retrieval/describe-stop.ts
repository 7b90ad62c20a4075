import { formatCount } from '@spillway/text/internal'
import type { ContentSource } from '../content/content-source.ts'
import type { FoundHits } from './find-hits.ts'
import { lineOfByte } from './line-of-byte.ts'

/** Say how far a search came whose time was spent, as what its counts begin with; nothing for one that came to the end. */
export async function describeStop(source: ContentSource, found: FoundHits): Promise<string> {
  if (found.stopped === undefined) return ''
  const line = formatCount(await lineOfByte(source, found.searchedTo))
  const of = found.range === undefined ? 'the content' : 'these lines'
  const part = Math.floor(found.part * 100)
  return `Stopped after ${duration(found.milliseconds)} at line ${line}, ${part} % of ${of}. So far: `
}

function duration(milliseconds: number): string {
  return milliseconds < 950 ? `${Math.ceil(milliseconds / 100) * 100} ms` : `${Math.round(milliseconds / 1_000)} s`
}
