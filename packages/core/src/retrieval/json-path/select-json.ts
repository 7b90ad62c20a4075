import type { JsonLayout } from '@spillway/text/internal/json'
import {
  asksLength,
  MAX_TESTED_BYTES,
  PathEvaluator,
  PathWalk,
  type FoundValue,
  type JsonPath,
  type SelectedSpan,
} from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { WorkTimeout, type WorkClock } from '../../search/work-clock.ts'

const SLICE_BYTES = 262_144
/** Number of values to test between readings of the clock. A reading takes as long as testing a small value. */
const VALUES_PER_CHECK = 64

export interface SelectedValue {
  readonly path: string
  readonly start: number
  readonly end: number
}

export type SelectSource = Pick<ContentSource, 'size' | 'blocks' | 'read'>

interface SelectOptions {
  readonly layout: JsonLayout
  readonly skip: number
  readonly keep: number
  readonly enough: number
  readonly clock: WorkClock
}

export interface Selection {
  readonly values: readonly SelectedValue[]
  readonly count: number
  /** Lines of JSON Lines that are not whole JSON. Values before the first error of a line may be selected. */
  readonly skippedLines: number
  /** Start of the first value that a filter must test but that is not JSON. */
  readonly brokenAt: number | undefined
  readonly ended:
    | { readonly by: 'all' | 'enough' }
    | { readonly by: 'failure'; readonly at: number }
    /** Timeout. The content before the byte `at` was searched. */
    | { readonly by: 'timeout'; readonly at: number }
    | { readonly by: 'too-large'; readonly path: string }
}

/** Walks the content once for all segments of the path, and twice if a segment counts from the end of an array. */
export async function selectJson(
  source: SelectSource,
  path: JsonPath,
  { layout, skip, keep, enough, clock }: SelectOptions,
): Promise<Selection> {
  const lengths = new Map<number, number>()
  const values: SelectedValue[] = []
  let count = 0
  let skippedLines = 0
  let brokenAt: number | undefined
  let tested = 0
  const { segments, asksRoot } = path
  const { form, start: base } = layout
  let ended = { by: 'all' } as Selection['ended']

  async function run(counts: boolean): Promise<void> {
    const evaluator = asksRoot && !counts ? await rootEvaluator() : new PathEvaluator()
    if (evaluator === undefined) return
    const hasFilters = segments.some(({ selectors }) => selectors.some(({ type }) => type === 'filter'))
    const isNamed = (index: number): boolean => hasFilters || isKept(index)
    const walk = new PathWalk({ segments, form, base, path: '$', mask: 1, lengths, counts, isNamed })
    try {
      for await (const block of source.blocks(base)) {
        clock.start()
        for (let from = 0; from < block.length && !isAtEnd(walk); from += SLICE_BYTES) {
          await take(walk.take(block.subarray(from, from + SLICE_BYTES)), evaluator)
          if (clock.needsPause) await clock.turn()
        }
        if (isAtEnd(walk)) break
        clock.stop()
      }
      if (!isAtEnd(walk)) await take(walk.finish(), evaluator)
    } catch (error) {
      if (!(error instanceof WorkTimeout)) throw error
      ended = { by: 'timeout', at: walk.position }
    }
    skippedLines = walk.skippedLines
    brokenAt = evaluator.brokenAt
    if (ended.by !== 'all' || counts) return
    if (walk.tooLarge !== undefined) ended = { by: 'too-large', path: walk.tooLarge }
    else if (walk.failedAt !== undefined) ended = { by: 'failure', at: walk.failedAt }
  }

  async function rootEvaluator(): Promise<PathEvaluator | undefined> {
    const length = source.size - base
    if (length <= MAX_TESTED_BYTES) return new PathEvaluator({ bytes: await source.read(base, length), form })
    ended = { by: 'too-large', path: '$' }
    return undefined
  }

  function isAtEnd(walk: PathWalk): boolean {
    return ended.by !== 'all' || walk.isDone
  }

  async function take(found: readonly FoundValue[], evaluator: PathEvaluator): Promise<void> {
    for (const value of found) {
      if (value.pending.length === 0) add(value)
      else {
        await clock.run(evaluator.select(segments, value, add))
        const isLarge = value.end - value.start > SLICE_BYTES / VALUES_PER_CHECK
        if ((isLarge || ++tested % VALUES_PER_CHECK === 0) && clock.needsPause) await clock.turn()
      }
      if (ended.by !== 'all') return
    }
  }

  function add({ path, start, end }: SelectedSpan): boolean {
    const place = count++
    if (isKept(place)) values.push({ path, start, end })
    if (count >= enough) ended = { by: 'enough' }
    return ended.by !== 'all'
  }

  function isKept(place: number): boolean {
    return place >= skip && place < skip + keep
  }

  if (segments.some(asksLength)) await run(true)
  if (ended.by !== 'timeout') await run(false)
  return { values, count, skippedLines, brokenAt, ended }
}
