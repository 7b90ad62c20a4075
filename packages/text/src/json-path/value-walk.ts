import { decodeJsonString } from '../json/decode-json-string.ts'
import type { JsonLayout } from '../json/json-form.ts'
import { jsonPathStep, MAX_PATH_UNITS } from '../json/json-paths-at.ts'
import { JsonWalker, type JsonVisitor } from '../json/json-walker.ts'
import { sliceIndexes } from './evaluate-query.ts'
import { asksRoot, type Segment, type Selector, type Test } from './parse-json-path.ts'

/** A value found by a walk. */
export interface WalkedValue {
  /** In bytes of the content. */
  readonly start: number
  readonly end: number
  /** Bytes of the value, if requested. */
  readonly bytes: readonly Uint8Array[]
  /** Return the path of the value. Must be called before the next chunk. */
  readonly path: () => string
}

interface ValueWalkOptions {
  readonly layout: JsonLayout
  readonly steps: readonly WalkStep[]
  /** Maximum bytes kept of a value; 0 to find only positions. */
  readonly keptBytes: number
  /** Whether the path of the value with this index, from 0, is needed. */
  readonly isNamed: (index: number) => boolean
}

const rootPath = (): string => '$'
const OPEN_ARRAY = 91
const OPEN_OBJECT = 123

/** Walks a document in chunks along the steps, and yields the values found. Skips other values unchecked. */
export class ValueWalk implements JsonVisitor {
  readonly #walker: JsonWalker
  readonly #steps: readonly WalkStep[]
  readonly #isLines: boolean
  readonly #keptBytes: number
  readonly #isNamed: (index: number) => boolean
  #count = 0
  /** Levels with a single matching entry: after that entry, the walk is done. */
  readonly #singularLevels: number
  #chunk: Uint8Array = new Uint8Array()
  #base: number
  #levels: number
  /** For each level, whether its single entry was found. */
  readonly #found: boolean[] = []
  #parentPath: string | undefined
  #selected: { readonly start: number; readonly path: () => string } | undefined
  #parts: Uint8Array[] = []
  #partBytes = 0
  #values: WalkedValue[] = []
  #isDone = false
  /** Set if a value exceeded the maximum size. */
  tooLarge: { readonly start: number; readonly path: string } | undefined

  constructor({ layout, steps, keptBytes, isNamed }: ValueWalkOptions) {
    this.#walker = new JsonWalker({ form: layout.form, visitor: this, base: layout.start })
    this.#isLines = layout.form === 'json-lines'
    this.#base = layout.start
    this.#levels = this.#walker.levels
    this.#steps = steps
    this.#keptBytes = keptBytes
    this.#isNamed = isNamed
    const open = steps.findIndex((step) => !isSingular(step))
    this.#singularLevels = open < 0 ? steps.length : open
    if (this.#isLines && steps.length === 0) this.#select(layout.start)
  }

  get isDone(): boolean {
    return this.#isDone || this.tooLarge !== undefined
  }

  get hasFailed(): boolean {
    return this.#walker.hasFailed
  }

  get position(): number {
    return this.#walker.position
  }

  /** Position of the first invalid JSON, if any. */
  get brokenAt(): number {
    return this.#walker.brokenAt
  }

  /** Lines between values that are not JSON. */
  get skippedLines(): number {
    return this.#walker.skippedLines
  }

  get isComplete(): boolean {
    return this.#walker.isComplete
  }

  /** Walk the next chunk, and return the values that end in it. */
  take(chunk: Uint8Array): readonly WalkedValue[] {
    this.#keepPart(this.#chunk.length)
    this.#base += this.#chunk.length
    this.#chunk = chunk
    this.#values = []
    this.#walker.take(chunk)
    this.#walker.advance()
    return this.#values
  }

  /** Return the values that end only with the content, for example a number. */
  finish(): readonly WalkedValue[] {
    this.#values = []
    this.#walker.finish()
    if (this.#isLines && this.#steps.length === 0) this.#give(this.position)
    return this.#values
  }

  begin(at: number, first: number): boolean {
    if (this.#isDone || this.#selected !== undefined) return false
    const level = this.#walker.levels
    if (level > 0 && !this.#leads(level)) return false
    if (level === this.#steps.length) {
      this.#select(at)
      return false
    }
    if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return false
    this.#levels = level + 1
    this.#found[level + 1] = false
    this.#parentPath = undefined
    return true
  }

  end(at: number): void {
    const level = this.#walker.levels
    if (this.#selected !== undefined && !(this.#isLines && this.#steps.length === 0)) {
      this.#give(at)
      if (level <= this.#singularLevels && level > 0) this.#isDone = true
    } else if (level < this.#levels) {
      this.#levels = level
      this.#parentPath = undefined
      if (level <= this.#singularLevels && level > 0) this.#isDone = true
    }
  }

  abandon(): void {
    this.#levels = this.#isLines ? 1 : 0
    this.#parentPath = undefined
    if (this.#selected === undefined || this.#steps.length === 0) return
    this.#selected = undefined
    this.#parts = []
    this.#partBytes = 0
    this.#count--
  }

  #leads(level: number): boolean {
    const step = this.#steps[level - 1]!
    const { index, isObject } = this.#walker.entry(level - 1)
    if (step.type === 'wildcard') return true
    if (step.type === 'name') {
      if (!isObject || this.#found[level] === true) return false
      return (this.#found[level] = this.#walker.isNamed(step.name))
    }
    if (isObject) return false
    if (step.type === 'index') return index === step.index
    if (index >= step.end && level <= this.#singularLevels + 1) this.#isDone = true
    return index >= step.start && index < step.end && (index - step.start) % step.step === 0
  }

  #select(start: number): void {
    const level = this.#walker.levels
    if (level === 0 || this.#steps.length === 0 || !this.#isNamed(this.#count++)) {
      this.#selected = { start, path: rootPath }
      return
    }
    const parentPath = (this.#parentPath ??= this.#pathOf(level - 1))
    const { index, isObject } = this.#walker.entry(level - 1)
    const key = isObject ? this.#walker.key(level - 1) : undefined
    const path = (): string => longerPath(parentPath, key === undefined ? index : decodeJsonString(key))
    this.#selected = { start, path }
  }

  #pathOf(levels: number): string {
    let path = '$'
    for (let level = 0; level < levels; level++) {
      const { index, isObject } = this.#walker.entry(level)
      path = longerPath(path, isObject ? decodeJsonString(this.#walker.key(level)) : index)
    }
    return path
  }

  #give(end: number): void {
    const { start, path } = this.#selected!
    this.#keepPart(end - this.#base)
    if (this.tooLarge === undefined) this.#values.push({ start, end, bytes: this.#parts, path })
    this.#selected = undefined
    this.#parts = []
    this.#partBytes = 0
  }

  #keepPart(end: number): void {
    if (this.#selected === undefined || this.#keptBytes === 0) return
    const { start, path } = this.#selected
    const part = this.#chunk.subarray(Math.max(0, start - this.#base), end)
    this.#partBytes += part.length
    if (this.#partBytes > this.#keptBytes) {
      this.tooLarge ??= { start, path: path() }
      this.#parts = []
      return
    }
    if (part.length > 0) this.#parts.push(part)
  }
}

/** Append a step to a path. A path over 1,000 characters is cut and ends with `…`. */
function longerPath(path: string, step: string | number): string {
  if (path.endsWith('…')) return path
  const longer = path + jsonPathStep(step)
  return longer.length > MAX_PATH_UNITS ? `${longer.slice(0, MAX_PATH_UNITS).toWellFormed()}…` : longer
}

const MAX_PATHS = 16

type WalkStep =
  | Extract<Selector, { type: 'name' | 'wildcard' }>
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly start: number; readonly end: number; readonly step: number }

/** Plan for a path: steps of a walk over the content, then segments within each value found. */
export interface WalkPlan {
  readonly steps: readonly WalkStep[]
  /** Filter for each value. */
  readonly filter: Test | undefined
  /** Segments to select within each value. Empty: the values themselves are selected. */
  readonly rest: readonly Segment[]
}

/** Plan the evaluation of a path. Without steps, the whole document is the one value. */
export function planWalk(segments: readonly Segment[]): WalkPlan {
  const isSimple = !segments.some(asksRoot)
  const steps: WalkStep[] = []
  for (const segment of isSimple ? segments : []) {
    const step = walkStep(segment)
    if (step === undefined) break
    steps.push(step)
  }
  const next = segments[steps.length]
  const [selector] = next?.selectors ?? []
  const isFilter = isSimple && next?.descends === false && next.selectors.length === 1 && selector?.type === 'filter'
  return {
    steps: isFilter ? [...steps, { type: 'wildcard' }] : steps,
    filter: isFilter ? selector.test : undefined,
    rest: segments.slice(steps.length + (isFilter ? 1 : 0)),
  }
}

function walkStep({ descends, selectors }: Segment): WalkStep | undefined {
  const [selector] = selectors
  if (descends || selectors.length !== 1 || selector === undefined) return undefined
  switch (selector.type) {
    case 'name':
    case 'wildcard':
      return selector
    case 'index':
      return selector.index >= 0 ? selector : undefined
    case 'slice': {
      const { start = 0, end = Infinity, step } = selector
      return start >= 0 && end >= 0 && step > 0 ? { type: 'slice', start, end, step } : undefined
    }
    case 'filter':
      return undefined
  }
}

function isSingular(step: WalkStep | undefined): boolean {
  return step?.type === 'name' || step?.type === 'index'
}

/** Return the index of the first segment that selects several values or counts from the end of an array. */
export function firstOpenSegment(segments: readonly Segment[]): number {
  const index = segments.findIndex((segment) => !isSingular(walkStep(segment)))
  return index < 0 ? segments.length : index
}

/** Divide a path at its first union, since RFC 9535 requires the results of each selector in sequence. */
export function divideUnion(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const at = firstOpenSegment(segments)
  const segment = segments[at]
  const isDivided =
    segment !== undefined &&
    !segment.descends &&
    segment.selectors.length > 1 &&
    segment.selectors.length <= MAX_PATHS &&
    !segments.some(asksRoot)
  if (!isDivided) return [segments]
  return segment.selectors.map((selector) => segments.with(at, { ...segment, selectors: [selector] }))
}

/** Return whether a segment counts from the end of an array, so that its length is needed first. */
export function countsFromEnd(segment: Segment | undefined): boolean {
  const [selector] = segment?.selectors ?? []
  if (segment === undefined || segment.descends || segment.selectors.length !== 1) return false
  if (selector?.type === 'index') return selector.index < 0
  return selector?.type === 'slice' && selector.step > 0 && walkStep(segment) === undefined
}

/** Rewrite a segment that counts from the end for an array of the given length. */
export function countFromStart(segment: Segment, length: number): Segment {
  const [selector] = segment.selectors
  if (selector?.type === 'index') {
    const index = length + selector.index
    return { ...segment, selectors: index < 0 ? [] : [{ type: 'index', index }] }
  }
  if (selector?.type !== 'slice') return segment
  const [start] = sliceIndexes(selector, length)
  if (start === undefined) return { ...segment, selectors: [] }
  const end = selector.end === undefined || selector.end >= 0 ? selector.end : length + selector.end
  return { ...segment, selectors: [{ ...selector, start, end }] }
}
