import { decodeJsonString, type JsonName } from '../json/decode-json-string.ts'
import { jsonPathStep, MAX_PATH_UNITS } from '../json/json-paths-at.ts'
import { isBracket, JsonWalker, type JsonForm, type JsonVisitor } from '../json/json-walker.ts'

/** A computation in slices. The caller may pause it at each yield. */
export type Evaluation<Result> = Generator<undefined, Result>

/** A segment of a parsed JSONPath (RFC 9535), independent of the parser library. */
export interface Segment {
  /** Whether the segment also selects descendants, as `..` does. */
  readonly descends: boolean
  readonly selectors: readonly Selector[]
}

export type Selector =
  | { readonly type: 'name'; readonly name: JsonName }
  | { readonly type: 'index'; readonly index: number }
  | SliceSelector
  | { readonly type: 'wildcard' }
  | { readonly type: 'filter'; readonly test: Test }

interface SliceSelector {
  readonly type: 'slice'
  readonly start: number | undefined
  readonly end: number | undefined
  readonly step: number
}

export interface Query {
  readonly fromRoot: boolean
  readonly segments: readonly Segment[]
}

export type Test = (value: Uint8Array, queries: Queries) => Evaluation<boolean>

export interface Queries {
  /** Run a query in a value, and pass each result to `take` until `take` returns `true`. */
  each(query: Query, value: Uint8Array, take: (result: Uint8Array) => boolean): Evaluation<void>
}

/** A value that a walk selected, or that must still pass a filter. */
export interface FoundValue {
  readonly start: number
  readonly end: number
  readonly path: string
  /** One bit for each segment that applies inside the value. The bit after the last segment marks a selected value. */
  readonly mask: number
  /** Indexes of segments whose filters must still examine the value. */
  readonly pending: readonly number[]
  /** Bytes of the value. Empty unless a filter must examine it. */
  readonly bytes: readonly Uint8Array[]
  /** Whether the content ends inside the value. Then only complete values inside it can be selected. */
  readonly isCut?: boolean
}

interface PathWalkOptions {
  readonly segments: readonly Segment[]
  readonly form: JsonForm
  /** Byte offset and path of the document in the content. */
  readonly base: number
  readonly path: string
  /** Segments that apply to the document, as in `mask` of {@link FoundValue}. */
  readonly mask: number
  /** Lengths of arrays by their start offset, for indexes from the end. A walk with `counts` finds the lengths. */
  readonly lengths: Map<number, number>
  readonly counts: boolean
  /** Returns whether the path of a selected value is needed. The first selected value has the index 0. */
  readonly isNamed: (index: number) => boolean
}

const NONE: readonly never[] = []
const NO_BYTES: Uint8Array = new Uint8Array()
/** Largest number of segments, because a 32-bit mask has one bit for each segment. */
export const MAX_SEGMENTS = 30
/** Largest value that a filter can examine, in bytes. */
export const MAX_TESTED_BYTES: number = 16 * 1_048_576
const MAX_LENGTHS = 1_000_000
/** Largest number of values that are held back until their line ends. */
const MAX_HELD = 1_000
const OPEN_ARRAY = 91

/** A path exceeds its limit of memory or levels. */
export class PathTooLarge extends Error {
  override readonly name = 'PathTooLarge'
}

/**
 * Walks a document in chunks, and applies all segments in one pass. Each selected value is returned once, after it
 * ended. Values that no segment selects are skipped without validation.
 */
export class PathWalk implements JsonVisitor {
  readonly #walker: JsonWalker
  readonly #options: PathWalkOptions
  readonly #selected: number
  /** Number of leading segments that select a single value each. After that value, the walk is done. */
  readonly #singular: number
  /** For each open level, the mask of segments that apply, and the start offset. */
  readonly #masks: number[] = []
  readonly #starts: number[] = []
  readonly #isSelected: boolean[] = []
  /** Paths of open levels, each with the start offset of the value at this level. */
  #paths: { readonly start: number; readonly path: string }[] = []
  #candidate: { readonly start: number; readonly mask: number; readonly pending: readonly number[] } | undefined
  #pending: readonly number[] = NONE
  #parts: Uint8Array[] = []
  #partBytes = 0
  #chunk: Uint8Array = NO_BYTES
  #base: number
  #found: FoundValue[] = []
  /** Number of values before the current line, if it is an array. The values of the line are held until its end. */
  #heldFrom: number | undefined
  #given = 0
  #isDone = false
  /** Path of the first value that a filter must examine and that exceeds {@link MAX_TESTED_BYTES}. */
  tooLarge: string | undefined

  constructor(options: PathWalkOptions) {
    const { segments, form, base, mask, counts } = options
    this.#options = options
    this.#walker = new JsonWalker({ form, visitor: this, base })
    this.#base = base
    this.#selected = 1 << segments.length
    const open = segments.findIndex((segment) => !isSingular(segment))
    this.#singular = mask !== 1 || counts ? 0 : open < 0 ? segments.length : open
    if (form === 'json-lines') this.#enter(0, base, mask)
  }

  restart(): void {
    this.#walker.restart()
    this.#base = 0
    this.#chunk = NO_BYTES
    this.#isDone = false
    this.tooLarge = undefined
    this.#found = []
    this.#paths = []
    this.#endCandidate()
  }

  /** Whether no more value can be selected. */
  get isDone(): boolean {
    return this.#isDone || this.#walker.hasFailed || this.tooLarge !== undefined
  }

  /** Position of the first byte that is not valid JSON. `undefined` if all bytes are valid or the walk is done. */
  get failedAt(): number | undefined {
    return this.#isDone || this.#walker.isComplete ? undefined : this.#walker.brokenAt
  }

  get position(): number {
    return this.#walker.position
  }

  get skippedLines(): number {
    return this.#walker.skippedLines
  }

  take(chunk: Uint8Array): readonly FoundValue[] {
    this.#keepPart(this.#chunk.length)
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#walker.take(chunk)
    this.#walker.advance()
    const found = this.#found
    const from = this.#heldFrom
    this.#found = from === undefined || found.length - from > MAX_HELD ? [] : found.splice(from)
    if (from !== undefined) this.#heldFrom = 0
    return found
  }

  /** End the content, and return the values that end with it, for example a number. */
  finish(): readonly FoundValue[] {
    const { form, mask, base, counts } = this.#options
    this.#walker.finish()
    if (this.#candidate !== undefined) this.#giveCandidate(this.position, true)
    // An array without an end, because the content is cut off, has the items so far.
    if (counts) for (let level = 0; level < this.#walker.levels; level++) this.#count(level)
    if (form === 'json-lines') {
      if (counts) this.#count(0)
      else if ((mask & this.#selected) !== 0) this.#give(base, 0)
    }
    return this.#found
  }

  begin(at: number, first: number): boolean {
    if (this.#isDone || this.#candidate !== undefined) return false
    const level = this.#walker.levels
    const mask = level === 0 ? this.#options.mask : this.#maskOf(level)
    this.#masks[level] = 0
    if (level === 1 && first === OPEN_ARRAY && this.#options.form === 'json-lines') this.#heldFrom = this.#found.length
    if (this.#pending !== NONE) {
      this.#candidate = { start: at, mask, pending: this.#pending }
      this.#pending = NONE
      return false
    }
    this.#starts[level] = at
    this.#isSelected[level] = (mask & this.#selected) !== 0
    const enters = (mask & (this.#selected - 1)) !== 0 && isBracket(first)
    if (enters) this.#enter(level, at, mask)
    return enters
  }

  end(at: number): void {
    if (this.#isDone) return
    const level = this.#walker.levels
    const mask = this.#masks[level]!
    if (level === 1) this.#heldFrom = undefined
    if (this.#candidate !== undefined) this.#giveCandidate(at)
    else if (this.#options.counts) this.#count(level)
    else if (this.#isSelected[level]!) this.#give(this.#starts[level]!, level, at)
    if (level > 0 && level <= this.#singular && (mask !== 0 || this.#isSelected[level]!))
      this.#isDone = this.#heldFrom === undefined
  }

  /** Drop the values of a line that begins like an array but is not JSON. */
  abandon(): void {
    this.#endCandidate()
    if (this.#heldFrom === undefined) return
    this.#given -= this.#found.splice(this.#heldFrom).length
    this.#heldFrom = undefined
  }

  #endCandidate(): void {
    if (this.#candidate === undefined) return
    this.#candidate = undefined
    this.#parts = []
    this.#partBytes = 0
  }

  #enter(level: number, start: number, mask: number): void {
    this.#starts[level] = start
    this.#masks[level] = mask & (this.#selected - 1)
  }

  /** Return the segments that apply inside an entry of a level. Segments with a filter are added to `#pending`. */
  #maskOf(level: number): number {
    const { segments, counts } = this.#options
    let mask = 0
    const outer = this.#masks[level - 1]!
    const isOnly = (outer & (outer - 1)) === 0
    for (let left = outer; left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left)
      const segment = segments[index]!
      if (segment.descends) mask |= 1 << index
      let isSelected = false
      let hasFilter = false
      for (const selector of segment.selectors) {
        if (selector.type === 'filter') hasFilter = true
        else isSelected ||= this.#selects(selector, level)
      }
      if (isSelected || (counts && hasFilter)) mask |= 1 << (index + 1)
      else if (hasFilter) this.#pending = [...this.#pending, index]
      else if (isOnly && level <= this.#singular + 1 && this.#isPast(segment, level))
        this.#isDone = this.#heldFrom === undefined
    }
    return mask
  }

  #selects(selector: Exclude<Selector, { type: 'filter' }>, level: number): boolean {
    const { index, isObject } = this.#walker.entry(level - 1)
    if (selector.type === 'wildcard') return true
    if (selector.type === 'name') return isObject && this.#walker.isNamed(selector.name)
    if (isObject) return false
    if (!countsFromEnd(selector)) return isWithin(selector, index, Infinity)
    if (this.#options.counts) return true
    return isWithin(selector, index, this.#options.lengths.get(this.#starts[level - 1]!) ?? 0)
  }

  /** Whether a segment cannot select any later item of this array. */
  #isPast({ descends, selectors }: Segment, level: number): boolean {
    const { index, isObject } = this.#walker.entry(level - 1)
    if (descends || isObject) return false
    return selectors.every(
      (selector) =>
        (selector.type === 'index' && selector.index >= 0 && index > selector.index) ||
        (selector.type === 'slice' && !countsFromEnd(selector) && index >= (selector.end ?? Infinity)),
    )
  }

  #count(level: number): void {
    const mask = this.#masks[level]!
    if (
      mask === 0 ||
      !this.#options.segments.some((segment, index) => ((mask >> index) & 1) === 1 && asksLength(segment))
    )
      return
    if (this.#options.lengths.size >= MAX_LENGTHS) throw new PathTooLarge()
    this.#options.lengths.set(this.#starts[level]!, this.#walker.entry(level).index + 1)
  }

  #give(start: number, level: number, end: number = this.position): void {
    const path = this.#options.isNamed(this.#given++) ? this.#pathOf(level) : this.#options.path
    this.#found.push({ start, end, path, mask: this.#selected, pending: NONE, bytes: NONE })
  }

  #giveCandidate(end: number, isCut = false): void {
    this.#keepPart(end - this.#base)
    const level = this.#walker.levels
    const path = this.#pathOf(level)
    if (this.#partBytes > MAX_TESTED_BYTES) this.tooLarge ??= path
    else this.#found.push({ ...this.#candidate!, end, path, bytes: this.#parts, isCut })
    this.#endCandidate()
  }

  #keepPart(end: number): void {
    if (this.#candidate === undefined) return
    const part = this.#chunk.subarray(Math.max(0, this.#candidate.start - this.#base), end)
    this.#partBytes += part.length
    if (this.#partBytes <= MAX_TESTED_BYTES) this.#parts.push(part)
    else {
      this.tooLarge ??= this.#pathOf(this.#walker.levels)
      this.#parts = []
    }
  }

  /** Return the path of the current value. A path over 1,000 characters is cut and ends with `…`. */
  #pathOf(levels: number): string {
    let { path } = this.#options
    for (let level = 0; level < levels && !path.endsWith('…'); level++) {
      const start = this.#starts[level + 1]!
      const known = this.#paths[level]
      if (level + 1 < levels && known?.start === start) {
        path = known.path
        continue
      }
      const { index, isObject } = this.#walker.entry(level)
      path += jsonPathStep(isObject ? decodeJsonString(this.#walker.key(level)) : index)
      if (path.length > MAX_PATH_UNITS) path = `${path.slice(0, MAX_PATH_UNITS).toWellFormed()}…`
      if (level + 1 < levels) this.#paths[level] = { start, path }
    }
    return path
  }
}

function isSingular({ descends, selectors }: Segment): boolean {
  return !descends && selectors.length === 1 && (selectors[0]!.type === 'name' || selectors[0]!.type === 'index')
}

export function asksLength({ selectors }: Segment): boolean {
  return selectors.some(countsFromEnd)
}

function countsFromEnd(selector: Selector): boolean {
  if (selector.type === 'index') return selector.index < 0
  if (selector.type !== 'slice') return false
  const { start, end, step } = selector
  return step < 0 || (start ?? 0) < 0 || (end ?? 0) < 0
}

function isWithin(
  selector: SliceSelector | { readonly type: 'index'; readonly index: number },
  index: number,
  length: number,
): boolean {
  const place = (at: number): number => (at >= 0 ? at : length + at)
  if (selector.type === 'index') return index === place(selector.index)
  const { start, end, step } = selector
  if (step > 0) {
    const first = Math.max(0, place(start ?? 0))
    return index >= first && index < place(end ?? Infinity) && (index - first) % step === 0
  }
  const first = Math.min(start === undefined ? length - 1 : place(start), length - 1)
  return step < 0 && index <= first && index > (end === undefined ? -1 : place(end)) && (first - index) % step === 0
}
