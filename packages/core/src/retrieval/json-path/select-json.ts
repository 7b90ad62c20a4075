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
  /** Lines of JSON Lines that were skipped because they are not JSON. */
  readonly skippedLines: number
  readonly ended:
    | { readonly by: 'all' | 'enough' }
    | { readonly by: 'failure'; readonly at: number }
    /** Timeout. The content before the byte `at` was searched. */
    | { readonly by: 'timeout'; readonly at: number }
    | { readonly by: 'too-large'; readonly path: string }
}

/** Walks the content once for all segments of the path, and twice if a segment counts from the end of an array. */
export async function selectJson(source: SelectSource, path: JsonPath, options: SelectOptions): Promise<Selection> {
  const selector = new Selector(source, path, options)
  if (path.segments.some(asksLength)) await selector.run(true)
  if (selector.ended.by !== 'timeout') await selector.run(false)
  return selector
}

class Selector implements Selection {
  readonly #source: SelectSource
  readonly #path: JsonPath
  readonly #options: SelectOptions
  readonly #lengths = new Map<number, number>()
  readonly values: SelectedValue[] = []
  count = 0
  skippedLines = 0
  ended: Selection['ended'] = { by: 'all' }

  constructor(source: SelectSource, path: JsonPath, options: SelectOptions) {
    this.#source = source
    this.#path = path
    this.#options = options
  }

  /** @param counts - Whether only to count the items of arrays. */
  async run(counts: boolean): Promise<void> {
    const { clock, layout } = this.#options
    const { segments, asksRoot } = this.#path
    const { form, start: base } = layout
    const evaluator = asksRoot && !counts ? await this.#rootEvaluator() : new PathEvaluator()
    if (evaluator === undefined) return
    const hasFilters = segments.some(({ selectors }) => selectors.some(({ type }) => type === 'filter'))
    const isNamed = (index: number): boolean => hasFilters || this.#isKept(index)
    const walk = new PathWalk({ segments, form, base, path: '$', mask: 1, lengths: this.#lengths, counts, isNamed })
    try {
      for await (const block of this.#source.blocks(base)) {
        clock.start()
        for (let from = 0; from < block.length && !this.#isAtEnd(walk); from += SLICE_BYTES) {
          await this.#take(walk.take(block.subarray(from, from + SLICE_BYTES)), evaluator)
          if (clock.needsPause) await clock.turn()
        }
        if (this.#isAtEnd(walk)) break
        clock.stop()
      }
      if (!this.#isAtEnd(walk)) await this.#take(walk.finish(), evaluator)
    } catch (error) {
      if (!(error instanceof WorkTimeout)) throw error
      this.ended = { by: 'timeout', at: walk.position }
    }
    this.skippedLines = walk.skippedLines
    if (this.ended.by !== 'all' || counts) return
    if (walk.tooLarge !== undefined) this.ended = { by: 'too-large', path: walk.tooLarge }
    else if (walk.failedAt !== undefined) this.ended = { by: 'failure', at: walk.failedAt }
  }

  async #rootEvaluator(): Promise<PathEvaluator | undefined> {
    const { start, form } = this.#options.layout
    const length = this.#source.size - start
    if (length <= MAX_TESTED_BYTES) return new PathEvaluator({ bytes: await this.#source.read(start, length), form })
    this.ended = { by: 'too-large', path: '$' }
    return undefined
  }

  #isAtEnd(walk: PathWalk): boolean {
    return this.ended.by !== 'all' || walk.isDone
  }

  async #take(found: readonly FoundValue[], evaluator: PathEvaluator): Promise<void> {
    const { clock } = this.#options
    for (const value of found) {
      if (value.pending.length === 0) this.#add(value)
      else {
        await clock.run(evaluator.select(this.#path.segments, value, (span) => this.#add(span)))
        if (clock.needsPause) await clock.turn()
      }
      if (this.ended.by !== 'all') return
    }
  }

  #add({ path, start, end }: SelectedSpan): boolean {
    const place = this.count++
    if (this.#isKept(place)) this.values.push({ path, start, end })
    if (this.count >= this.#options.enough) this.ended = { by: 'enough' }
    return this.ended.by !== 'all'
  }

  #isKept(place: number): boolean {
    const { skip, keep } = this.#options
    return place >= skip && place < skip + keep
  }
}
