import type { ContentSource } from '../content/content-source.ts'
import type { Hit } from './search-lines.ts'

/** Where a match lies in its line, in UTF-16 units from 0. */
export interface LineMatch {
  readonly start: number
  readonly end: number
}

/** A line as far as it is shown: all of it, its beginning, or what surrounds its match. */
export interface LineView {
  /** From 1. */
  readonly number: number
  /** UTF-16 units of the whole line; of a line of over 64 KiB, a lower bound is enough: bytes are taken for units. */
  readonly length: number
  readonly text: string
  /** Where `text` begins in the line. */
  readonly offset: number
  readonly match?: LineMatch | undefined
  /** The byte of the content at which the match begins; set with `match`. */
  readonly matchByte?: number | undefined
}

/** How much is taken around hits. */
export interface ViewOptions {
  /** Lines before and after each hit. */
  readonly contextLines: number
  /** UTF-16 units of a line. */
  readonly keep: number
  /** UTF-16 units in all; the view that reaches it is the last. */
  readonly limit: number
}

/** What {@link viewHits} returns. */
export interface HitViews {
  /** In the order of the content, each line once, but each hit of a very long line by itself. */
  readonly views: readonly LineView[]
  /** How many of the hits have views. */
  readonly shown: number
}

/** Read the lines of hits and those around them, with their numbers. */
export async function viewHits(
  source: ContentSource,
  hits: readonly Hit[],
  { contextLines, keep, limit }: ViewOptions,
): Promise<HitViews> {
  const text = new TextDecoder().decode(await source.read(0, source.size))
  const bytesBefore = (end: number): Promise<string> =>
    source.read(0, end).then((bytes) => new TextDecoder().decode(bytes))
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const views = new Map<number, LineView>()
  let size = 0
  let shown = 0
  for (const hit of hits) {
    if (size >= limit) break
    shown++
    const before = await bytesBefore(hit.start)
    const index = before.split('\n').length - 1
    const column = before.length - (before.lastIndexOf('\n') + 1)
    const length = (await bytesBefore(hit.end)).length - before.length
    for (let at = Math.max(0, index - contextLines); at <= Math.min(index + contextLines, lines.length - 1); at++) {
      const line = lines[at]!
      if (at === index) {
        const offset = Math.max(0, Math.min(column - Math.floor(keep / 2), line.length - keep))
        const match = { start: column, end: column + length }
        const shownText = line.slice(offset, offset + keep)
        views.set(at, {
          number: at + 1,
          length: line.length,
          text: shownText,
          offset,
          match,
          matchByte: hit.start,
        })
      } else if (!views.has(at))
        views.set(at, { number: at + 1, length: line.length, text: line.slice(0, keep), offset: 0 })
      size += Math.min(keep, line.length)
    }
  }
  return { views: [...views.values()].toSorted((a, b) => a.number - b.number), shown }
}
