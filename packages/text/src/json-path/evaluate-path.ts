import { concatBytes } from '../shared/bytes.ts'
import { isBracket, type JsonForm } from '../json/json-walker.ts'
import {
  asksLength,
  PathTooLarge,
  PathWalk,
  type Evaluation,
  type FoundValue,
  type Queries,
  type Query,
  type Segment,
} from './path-walk.ts'

/** Number of bytes between two yields, which takes some milliseconds. Each walk counts as `BYTES_OF_A_WALK` more. */
const SLICE_BYTES = 262_144
const BYTES_OF_A_WALK = 1_024
/** Largest number of nested values that depend on filters. */
const MAX_DEPTH = 200

export interface SelectedSpan {
  readonly start: number
  readonly end: number
  readonly path: string
}

/** Receives a selected value. Returns `true` if no more values are needed. */
type Take = (span: SelectedSpan) => boolean

interface Part {
  readonly bytes: Uint8Array
  readonly base: number
  readonly path: string
  readonly mask: number
  readonly form: JsonForm
  readonly isNamed: () => boolean
}

const always = (): boolean => true
const never = (): boolean => false

/** Applies filters to the values that a {@link PathWalk} found, and selects values inside them. */
export class PathEvaluator implements Queries {
  /** The whole document, if a filter needs it. */
  readonly #root: { readonly bytes: Uint8Array; readonly form: JsonForm } | undefined
  /** Results of queries that start at the root. All values have the same results. */
  readonly #fromRoot = new Map<Query, readonly Uint8Array[]>()
  /** Walks that are not in use now, to be reused for the next value. */
  readonly #idle = new Map<readonly Segment[], PathWalk>()
  #walked = 0
  #isBroken = false
  /** Start of the first value that a filter had to examine but that is not JSON. */
  brokenAt: number | undefined

  constructor(root?: { readonly bytes: Uint8Array; readonly form: JsonForm }) {
    this.#root = root
  }

  /** Select the values below a value that a walk found. Returns whether no more values are needed. */
  *select(segments: readonly Segment[], found: FoundValue, take: Take, depth = 0): Evaluation<boolean> {
    const { pending, start, path, isCut = false } = found
    const isSelected = 1 << segments.length
    let { mask } = found
    if (pending.length > 0) {
      const bytes = concatBytes(found.bytes)
      this.#isBroken = false
      for (const index of isCut ? [] : pending)
        if (yield* this.#passes(segments[index]!, bytes)) mask |= 1 << (index + 1)
      if (this.#isBroken) this.brokenAt ??= start
      const inner = mask & (isSelected - 1)
      if (inner !== 0 && isBracket(bytes[0])) {
        if (depth >= MAX_DEPTH) throw new PathTooLarge()
        const part: Part = { bytes, base: start, path, mask: inner, form: 'json', isNamed: always }
        if (yield* this.#walk(segments, part, take, depth + 1)) return true
      }
    }
    return (mask & isSelected) !== 0 && !isCut && take(found)
  }

  *#passes({ selectors }: Segment, bytes: Uint8Array): Evaluation<boolean> {
    for (const selector of selectors) if (selector.type === 'filter' && (yield* selector.test(bytes, this))) return true
    return false
  }

  *each(query: Query, value: Uint8Array, take: (result: Uint8Array) => boolean): Evaluation<void> {
    const { segments, fromRoot } = query
    const part = (bytes: Uint8Array, form: JsonForm): Part => ({
      bytes,
      base: 0,
      path: '$',
      mask: 1,
      form,
      isNamed: never,
    })
    if (!fromRoot) {
      yield* this.#walk(segments, part(value, 'json'), ({ start, end }) => take(value.subarray(start, end)), 0)
      return
    }
    const root = this.#root!
    const known = this.#fromRoot.get(query) ?? []
    if (!this.#fromRoot.has(query)) {
      const results = known as Uint8Array[]
      const keep = ({ start, end }: SelectedSpan): boolean => {
        results.push(root.bytes.subarray(start, end))
        return false
      }
      yield* this.#walk(segments, part(root.bytes, root.form), keep, 0)
      this.#fromRoot.set(query, results)
    }
    for (const result of known) if (take(result)) return
  }

  *#walk(segments: readonly Segment[], part: Part, take: Take, depth: number): Evaluation<boolean> {
    const lengths = new Map<number, number>()
    const passes = segments.some(asksLength) ? [true, false] : [false]
    for (const counts of passes) {
      const isUsual = passes.length === 1 && part.isNamed === never && part.form === 'json'
      const idle = isUsual ? this.#idle.get(segments) : undefined
      const walk = idle ?? new PathWalk({ segments, ...part, lengths, counts })
      if (idle !== undefined) this.#idle.delete(segments)
      for (let from = 0; from < part.bytes.length && !walk.isDone; from += SLICE_BYTES) {
        const slice = part.bytes.subarray(from, from + SLICE_BYTES)
        this.#walked += slice.length + BYTES_OF_A_WALK
        if (this.#walked >= SLICE_BYTES) {
          this.#walked = 0
          yield
        }
        for (const found of walk.take(slice)) if (yield* this.select(segments, found, take, depth)) return true
      }
      const last = walk.finish()
      this.#isBroken ||= walk.failedAt !== undefined
      for (const found of last) if (yield* this.select(segments, found, take, depth)) return true
      if (!isUsual) continue
      walk.restart()
      this.#idle.set(segments, walk)
    }
    return false
  }
}
