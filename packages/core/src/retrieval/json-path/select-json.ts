import { concatBytes, yieldToOthers } from '@spillway/text/internal'
import { JsonTapeReader, type JsonLayout } from '@spillway/text/internal/json'
import {
  countFromStart,
  countsFromEnd,
  divideUnion,
  firstOpenSegment,
  planWalk,
  QueryEvaluator,
  TextExpressions,
  ValueWalk,
  type Segment,
  type WalkedValue,
  type WalkPlan,
} from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { checkAborted } from '../../storage/storage-error.ts'

/** A value in which something is selected is held as a whole, with its positions. */
export const MAX_BUILT_BYTES: number = 16 * 1_048_576
const SLICE_BYTES = 262_144

export interface SelectedValue {
  readonly path: string
  readonly start: number
  readonly end: number
}

export type SelectSource = Pick<ContentSource, 'size' | 'blocks'>

interface SelectOptions {
  readonly layout: JsonLayout
  readonly skip: number
  readonly keep: number
  readonly enough: number
  readonly pace: WorkPace
}

export interface Selection {
  readonly values: readonly SelectedValue[]
  readonly count: number
  /** Lines of JSON Lines that were skipped because they are not JSON. */
  readonly skippedLines: number
  readonly ended:
    | { readonly by: 'all' | 'enough' }
    | { readonly by: 'failure'; readonly at: number }
    /** Everything before the byte `at` was searched. */
    | { readonly by: 'timeout'; readonly at: number }
    | { readonly by: 'too-large'; readonly path: string }
}

/** Finds the first segments by walking the content, and searches the rest in one value after the other. */
export async function selectJson(
  source: SelectSource,
  segments: readonly Segment[],
  options: SelectOptions,
): Promise<Selection> {
  const selector = new Selector(source, options)
  for (const path of divideUnion(segments)) {
    const forwards = await fromStart(source, path, options)
    if (forwards !== undefined) await selector.run(planWalk(forwards))
    if (selector.ended.by !== 'all') break
  }
  return selector
}

/** Counts an array for indexes from its end. Returns `undefined` if there are none. */
async function fromStart(
  source: SelectSource,
  segments: readonly Segment[],
  options: SelectOptions,
): Promise<readonly Segment[] | undefined> {
  const at = firstOpenSegment(segments)
  const segment = segments[at]
  if (segment === undefined || !countsFromEnd(segment)) return segments
  const all: Segment = { ...segment, selectors: [{ type: 'slice', start: 0, end: undefined, step: 1 }] }
  const counter = new Selector(source, { ...options, skip: 0, keep: 0, enough: Infinity })
  await counter.run(planWalk([...segments.slice(0, at), all]))
  const written = countFromStart(segment, counter.count)
  return written.selectors.length === 0 ? undefined : segments.with(at, written)
}

class Selector implements Selection {
  readonly #source: SelectSource
  readonly #options: SelectOptions
  readonly #expressions = new TextExpressions()
  readonly #reader = new JsonTapeReader()
  readonly values: SelectedValue[] = []
  count = 0
  skippedLines = 0
  ended: Selection['ended'] = { by: 'all' }

  constructor(source: SelectSource, options: SelectOptions) {
    this.#source = source
    this.#options = options
  }

  async run(plan: WalkPlan): Promise<void> {
    const { layout, pace } = this.#options
    const isWhole = plan.filter === undefined && plan.rest.length === 0
    const before = this.count
    const walk = new ValueWalk({
      layout,
      steps: plan.steps,
      keptBytes: isWhole ? 0 : MAX_BUILT_BYTES,
      // A counted value needs no path.
      isNamed: (index) => !isWhole || this.#isKept(before + index),
    })
    try {
      for await (const block of this.#source.blocks(layout.start)) {
        pace.resume()
        for (let from = 0; from < block.length; from += SLICE_BYTES) {
          await this.#take(walk.take(block.subarray(from, from + SLICE_BYTES)), plan)
          if (this.#isAtEnd(walk)) break
          if (pace.isDue) await pace.turn()
        }
        if (this.#isAtEnd(walk)) break
        pace.rest()
      }
      if (!this.#isAtEnd(walk)) await this.#take(walk.finish(), plan)
    } catch (error) {
      if (!(error instanceof WorkTimeout)) throw error
      this.ended = { by: 'timeout', at: walk.position }
      return
    }
    this.skippedLines = Math.max(this.skippedLines, walk.skippedLines)
    if (this.ended.by !== 'all') return
    if (walk.tooLarge !== undefined) this.ended = { by: 'too-large', path: walk.tooLarge.path }
    else if (!walk.isDone && !walk.isComplete) this.ended = { by: 'failure', at: walk.brokenAt }
  }

  #isAtEnd(walk: ValueWalk): boolean {
    return this.ended.by !== 'all' || walk.isDone || walk.hasFailed
  }

  async #take(values: readonly WalkedValue[], plan: WalkPlan): Promise<void> {
    for (const value of values) {
      if (plan.filter === undefined && plan.rest.length === 0) this.#add(value.path, value.start, value.end)
      else {
        await this.#selectWithin(value, plan)
        if (this.#options.pace.isDue) await this.#options.pace.turn()
      }
      if (this.ended.by !== 'all') return
    }
  }

  async #selectWithin({ start, path, bytes }: WalkedValue, { filter, rest }: WalkPlan): Promise<void> {
    const { pace, layout } = this.#options
    const isLines = layout.form === 'json-lines' && start === layout.start && path() === '$'
    const reader = isLines ? new JsonTapeReader('json-lines') : this.#reader
    const read = reader.read(concatBytes(bytes))
    const { tape, failedAt, isFull } = await pace.run(read)
    if (isFull) {
      this.ended = { by: 'too-large', path: path() }
      return
    }
    const evaluator = new QueryEvaluator(tape, this.#expressions)
    if (filter === undefined || (await pace.run(evaluator.test(filter, 0)))) {
      for (const node of await pace.run(evaluator.select(rest))) {
        this.#add(() => tape.pathOf(node, path()), start + tape.start(node), start + tape.end(node))
        if (this.ended.by !== 'all') return
        if (pace.isDue) await pace.turn()
      }
    }
    if (failedAt !== undefined) this.ended = { by: 'failure', at: start + failedAt }
  }

  #add(path: () => string, start: number, end: number): void {
    const place = this.count++
    if (this.#isKept(place)) this.values.push({ path: path(), start, end })
    if (this.count >= this.#options.enough) this.ended = { by: 'enough' }
  }

  #isKept(place: number): boolean {
    const { skip, keep } = this.#options
    return place >= skip && place < skip + keep
  }
}

const TURN_MS = 8
/** Limits pauses too, because some runtimes stop the clock while code runs. */
const MAX_PAUSES = 8
const LEAST_MS_OF_A_PAUSE = 0.5

export class WorkTimeout extends Error {
  override readonly name = 'WorkTimeout'
}

/** Yields to the event loop and to other callers, and ends work that takes too long. Waiting does not count. */
export class WorkPace {
  readonly #signal: AbortSignal | undefined
  readonly #caller: unknown
  #since = performance.now()
  #pauses = 0
  #leftMs: number

  constructor(deadlineMs: number, signal: AbortSignal | undefined, caller?: unknown) {
    this.#leftMs = deadlineMs
    this.#signal = signal
    this.#caller = caller
  }

  get isDue(): boolean {
    return this.#pauses >= MAX_PAUSES || performance.now() - this.#since >= TURN_MS
  }

  rest(): void {
    this.#leftMs -= Math.max(performance.now() - this.#since, this.#pauses * LEAST_MS_OF_A_PAUSE)
    this.resume()
  }

  resume(): void {
    this.#pauses = 0
    this.#since = performance.now()
  }

  async turn(): Promise<void> {
    this.rest()
    checkAborted(this.#signal)
    if (this.#leftMs <= 0) throw new WorkTimeout('The path took too long.')
    await yieldToOthers(this.#caller)
    this.resume()
  }

  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      this.#pauses++
      if (this.isDue) await this.turn()
    }
  }
}
