import { asksRoot } from './json-path-syntax.ts'
import type { Segment, Selector, Test } from './json-path-syntax.ts'
import { sliceIndexes } from './evaluate-query.ts'

/** Paths that a union is divided into, at most. */
const MAX_PATHS = 16

/** A step that a walk takes by looking at nothing but the key or the index of an entry. */
export type WalkStep =
  | Extract<Selector, { type: 'name' | 'wildcard' }>
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly start: number; readonly end: number; readonly step: number }

/** How a path is followed: by steps of a walk over the content, and then within each value that they lead to. */
export interface WalkPlan {
  readonly steps: readonly WalkStep[]
  /** What each value must pass. */
  readonly filter: Test | undefined
  /** What is selected within each value; where it is empty, the values themselves are. */
  readonly rest: readonly Segment[]
}

/** Tell how a path is followed. Without steps, the document itself is the one value in which all is selected. */
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

/** Tell whether a step leads to one entry at most. */
export function isSingular(step: WalkStep | undefined): boolean {
  return step?.type === 'name' || step?.type === 'index'
}

/** Where a path meets its first segment that leads to several values, or that counts from the end of an array. */
export function firstOpenSegment(segments: readonly Segment[]): number {
  const index = segments.findIndex((segment) => !isSingular(walkStep(segment)))
  return index < 0 ? segments.length : index
}

/** Divide a path by the union that it meets first: RFC 9535 has the results of each selector come one after the other. */
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

/** The segment at which the length of an array must be known first: one that counts from its end, forwards. */
export function countsFromEnd(segment: Segment | undefined): boolean {
  const [selector] = segment?.selectors ?? []
  if (segment === undefined || segment.descends || segment.selectors.length !== 1) return false
  if (selector?.type === 'index') return selector.index < 0
  return selector?.type === 'slice' && selector.step > 0 && walkStep(segment) === undefined
}

/** Write a segment that counts from the end of an array anew, from its start, for an array of this length. */
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
