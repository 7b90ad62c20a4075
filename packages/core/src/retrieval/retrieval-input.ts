import { formatCount, type LineRange } from '@spillway/text/internal'
import type { JsonPathRequest } from './json-path/json-path-request.ts'
import type { QueryRequest } from './query/query-request.ts'
import { invalidInput, readParameters } from './read-parameters.ts'
import type { RetrievalParameters } from './read-parameters.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { TableRequest } from './table/table-request.ts'

/** A search, in one content or in all of a scope. */
export interface PatternRequest {
  readonly mode: 'pattern'
  readonly reference: string | undefined
  /** One or more, all different. */
  readonly patterns: readonly string[]
  readonly range: LineRange | undefined
  readonly contextLines: number
  readonly ignoreCase: boolean
  readonly countOnly: boolean
  /** Matches to pass over: from the end where `fromEnd` is set. */
  readonly skip: number
  /** Matches to show, at most; absent for as many as fit. */
  readonly limit: number | undefined
  readonly fromEnd: boolean
}

/** A call for the first lines, or the last. */
export interface HeadRequest {
  readonly mode: 'head'
  readonly reference: string
  readonly lines: number
  /** Lines to pass over: from the end where `fromEnd` is set. */
  readonly skip: number
  readonly fromEnd: boolean
}

/** A span of bytes, 1-based, both ends inclusive. */
export type ByteRange = NonNullable<RetrievalCall['byte_range']>

/** A call for a span of bytes. */
export interface BytesRequest {
  readonly mode: 'bytes'
  readonly reference: string
  readonly range: ByteRange
}

/** A checked call of the retrieval tool. */
export type RetrievalRequest =
  | PatternRequest
  | JsonPathRequest
  | QueryRequest
  | TableRequest
  | HeadRequest
  | BytesRequest
  | { readonly mode: 'range'; readonly reference: string; readonly range: LineRange }
  | { readonly mode: 'full'; readonly reference: string }

/** Lines of context unless the call says otherwise. */
export const DEFAULT_CONTEXT_LINES = 5
const MAX_CONTEXT_LINES = 100
/** Lines that the end of a content is, unless the call says otherwise. */
const DEFAULT_TAIL_LINES = 50
const MAX_PATTERN_LENGTH = 1_000
/** UTF-16 units of a query, a path or a condition. */
const MAX_TEXT_LENGTH = 2_000

type Parameter = Exclude<keyof RetrievalCall, 'pattern'>

/** What a call can select by; one call takes one of these ways. */
const WAYS: readonly (readonly Parameter[])[] = [
  ['patterns'],
  ['json_path'],
  ['query'],
  ['columns', 'where'],
  ['byte_range'],
]

/** Check what a model wrote. `null` and an empty string count as absent. Throws a {@link RetrievalError}. */
export function parseRetrievalInput(input: unknown): RetrievalRequest {
  const call = readParameters(input)
  assertRange('line_range', call)
  assertRange('byte_range', call)
  const [way, other] = WAYS.flatMap((names) => names.filter((name) => call[name] !== undefined).slice(0, 1))
  if (way !== undefined && other !== undefined) {
    const message = `${nameOf(way)} and ${nameOf(other)} cannot be used together: one call takes one of them. With ${nameOf(way)}:`
    throw invalidInput(message, without(call, other === 'columns' ? ['columns', 'where'] : [other]))
  }
  if (way === 'patterns') return patternRequest(call)
  for (const name of ['json_path', 'query', 'where'] as const) assertLength(name, call[name])
  if (way === 'query') return queryRequest(call)
  if (way === 'byte_range') return bytesRequest(call)
  if (way !== undefined) return selectionRequest(call, way)
  return linesRequest(call)
}

/** Say that a call needs a reference, for the sake of `parameter` where it is about one. */
export function referenceRequired(parameter?: keyof RetrievalCall): RetrievalError {
  const reason = parameter === undefined ? 'A reference is required' : `${parameter} needs a reference`
  return invalidInput(`${reason}: one of those listed under [Stored references:] in an offloaded result.`)
}

function patternRequest(call: RetrievalParameters): PatternRequest {
  const { reference, line_range: range, patterns = [] } = call
  for (const pattern of patterns) {
    if (pattern.length > MAX_PATTERN_LENGTH) {
      throw new RetrievalError(
        'pattern-refused',
        `The pattern has ${formatCount(pattern.length)} characters; at most ${formatCount(MAX_PATTERN_LENGTH)} are ` +
          'taken. Use its most distinctive part.',
      )
    }
  }
  if (reference === undefined && range !== undefined) throw referenceRequired('line_range')
  return {
    mode: 'pattern',
    reference,
    patterns,
    range,
    contextLines: Math.min(call.context_lines ?? DEFAULT_CONTEXT_LINES, MAX_CONTEXT_LINES),
    ignoreCase: call.ignore_case ?? false,
    countOnly: call.count_only ?? false,
    skip: call.skip ?? 0,
    limit: call.limit,
    fromEnd: call.from_end ?? false,
  }
}

function queryRequest(call: RetrievalParameters): QueryRequest {
  refuse(call, 'query', ['line_range', 'from_end', 'count_only'])
  const { reference, query = '', skip = 0, limit } = call
  return { mode: 'query', reference, query, skip, limit }
}

function selectionRequest(call: RetrievalParameters, way: Parameter): JsonPathRequest | TableRequest {
  const { reference, json_path: path, columns, where, skip = 0, limit, count_only: countOnly = false } = call
  if (reference === undefined) throw referenceRequired(way)
  refuse(call, way, ['line_range', 'from_end'])
  if (path !== undefined) return { mode: 'json-path', reference, path, skip, limit, countOnly }
  return { mode: 'table', reference, columns, where, skip, limit, countOnly }
}

function bytesRequest(call: RetrievalParameters): BytesRequest {
  const { reference, byte_range: range } = call
  if (reference === undefined) throw referenceRequired('byte_range')
  refuse(call, 'byte_range', ['line_range', 'context_lines', 'limit', 'skip', 'from_end', 'count_only'])
  return { mode: 'bytes', reference, range: range! }
}

function linesRequest(call: RetrievalParameters): RetrievalRequest {
  const { reference, line_range: range, context_lines: lines, skip = 0, limit, from_end: fromEnd = false } = call
  if (call.count_only === true) {
    throw invalidInput('count_only needs something to count: a pattern, a json_path or a condition in where.')
  }
  if (reference === undefined) {
    throw referenceRequired(range !== undefined ? 'line_range' : lines !== undefined ? 'context_lines' : undefined)
  }
  if (range !== undefined) {
    refuse(call, 'line_range', ['skip', 'limit', 'from_end'])
    return { mode: 'range', reference, range }
  }
  const wanted = limit ?? lines
  if (wanted === undefined && skip === 0 && !fromEnd) return { mode: 'full', reference }
  const all = fromEnd ? DEFAULT_TAIL_LINES : Number.MAX_SAFE_INTEGER
  return { mode: 'head', reference, lines: Math.max(1, wanted ?? all), skip, fromEnd }
}

function assertRange(name: 'line_range' | 'byte_range', call: RetrievalParameters): void {
  const range = call[name]
  if (range === undefined || range.start <= range.end) return
  throw new RetrievalError(
    'invalid-range',
    `${name}.start (${formatCount(range.start)}) must not be after ${name}.end (${formatCount(range.end)}). ` +
      'With both in order:',
    { call: { ...without(call, []), [name]: { start: range.end, end: range.start } } },
  )
}

function assertLength(name: Parameter, text: string | undefined): void {
  if (text === undefined || text.length <= MAX_TEXT_LENGTH) return
  const lengths = `${formatCount(text.length)} characters; at most ${formatCount(MAX_TEXT_LENGTH)} are taken`
  throw invalidInput(`${name} has ${lengths}.`)
}

/** Refuse parameters that `way` does nothing with, where leaving them out unsaid would answer another question. */
function refuse(call: RetrievalParameters, way: Parameter, names: readonly Parameter[]): void {
  const useless = names.filter((name) => call[name] !== undefined && call[name] !== false)
  if (useless.length === 0) return
  throw invalidInput(`${useless.join(' and ')} cannot be used with ${way}. Without:`, without(call, useless))
}

/** The call as it was made, but for some parameters; a single pattern stands in `pattern`. */
function without(call: RetrievalParameters, names: readonly Parameter[]): RetrievalCall {
  const { reference, patterns, ...others } = call
  const [pattern, ...more] = patterns ?? []
  const shown: RetrievalCall = more.length > 0 ? { reference, patterns } : { reference, pattern }
  return Object.fromEntries(Object.entries({ ...shown, ...others }).filter(([name]) => !isNamed(name, names)))
}

const isNamed = (name: string, names: readonly Parameter[]): boolean =>
  names.includes((name === 'pattern' ? 'patterns' : name) as Parameter)

const nameOf = (parameter: Parameter): string => (parameter === 'patterns' ? 'pattern' : parameter)
