import { closestNames, countOf, formatCount, type LineRange, parseJsonText } from '@spillway/text/internal'
import type { JsonPathRequest } from './json-path/answer-json-path.ts'
import type { QueryRequest } from './query/read-passage.ts'
import { shown } from '../storage/storage-input.ts'
import type { OmittedPart } from '../storage/storage.ts'
import { RetrievalError, type RetrievalCall } from './retrieval-tool.ts'
import { quote } from './write-answer.ts'
import type { SqlRequest } from './sql/answer-sql.ts'

export interface PatternRequest {
  readonly mode: 'pattern'
  readonly reference: string | undefined
  readonly pattern: string
  readonly range: LineRange | undefined
  readonly contextLines: number
  readonly ignoreCase: boolean
  readonly countOnly: boolean
  /** Number of matches to skip: the last ones if `fromEnd` is set, otherwise the first ones. */
  readonly after: number
  readonly fromEnd: boolean
  readonly waitSeconds: number
}

export interface HeadRequest {
  readonly mode: 'head'
  readonly reference: string
  readonly lines: number
  /** Number of lines to skip: the last ones if `fromEnd` is set, otherwise the first ones. */
  readonly after: number
  readonly fromEnd: boolean
  readonly waitSeconds: number
}

/** A range of bytes, 1-based and inclusive. */
type ByteRange = NonNullable<RetrievalCall['byte_range']>

export interface BytesRequest {
  readonly mode: 'bytes'
  readonly reference: string
  readonly range: ByteRange
}

export type RetrievalRequest =
  | PatternRequest
  | JsonPathRequest
  | QueryRequest
  | SqlRequest
  | HeadRequest
  | BytesRequest
  | { readonly mode: 'range'; readonly reference: string; readonly range: LineRange }
  | { readonly mode: 'full'; readonly reference: string }

const DEFAULT_CONTEXT_LINES = 5
const MAX_CONTEXT_LINES = 100
const DEFAULT_TAIL_LINES = 50
const MAX_PATTERN_LENGTH = 1_000
const MAX_WAIT_SECONDS = 30
const MAX_TEXT_LENGTH = 2_000
const MAX_SQL_LENGTH = 10_000

type Parameter = keyof RetrievalCall

const WAYS: readonly Parameter[] = ['pattern', 'sql', 'json_path', 'query', 'byte_range']

/** Parses the input of a call. `null` and an empty string count as absent. Throws a {@link RetrievalError}. */
export function parseRetrievalInput(input: unknown): RetrievalRequest {
  const call = readParameters(input)
  assertRange('line_range', call)
  assertRange('byte_range', call)
  // With `sql`, a `json_path` selects the rows of the table.
  const [way, other] = WAYS.filter(
    (name) => call[name] !== undefined && (name !== 'json_path' || call.sql === undefined),
  )
  if (way !== undefined && other !== undefined) {
    const message = `${way} and ${other} cannot be used together: use only one of them in a call. With ${way}:`
    throw invalidInput(message, without(call, [other]))
  }
  if (call.references !== undefined && way !== 'sql') throw invalidInput('references is for sql over several tables.')
  if (way === 'pattern') return patternRequest(call)
  for (const name of ['json_path', 'query'] as const) assertLength(name, call[name])
  if (way === 'query') return queryRequest(call)
  if (way === 'byte_range') return bytesRequest(call)
  if (way === 'sql') return sqlRequest(call)
  if (way === 'json_path') return pathRequest(call)
  return linesRequest(call)
}

export function referenceRequired(parameter?: keyof RetrievalCall): RetrievalError {
  const reason = parameter === undefined ? 'A reference is required' : `${parameter} needs a reference`
  return invalidInput(`${reason}: one of those listed under [Stored references:] in an offloaded result.`)
}

function patternRequest(call: RetrievalCall): PatternRequest {
  const { reference, line_range: range, pattern = '' } = call
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new RetrievalError(
      'pattern-refused',
      `The pattern has ${formatCount(pattern.length)} characters; at most ${formatCount(MAX_PATTERN_LENGTH)} are ` +
        'allowed. Use its most distinctive part.',
    )
  }
  if (reference === undefined && range !== undefined) throw referenceRequired('line_range')
  return {
    mode: 'pattern',
    reference,
    pattern,
    range,
    contextLines: Math.min(call.context_lines ?? DEFAULT_CONTEXT_LINES, MAX_CONTEXT_LINES),
    ignoreCase: call.ignore_case ?? false,
    countOnly: call.count_only ?? false,
    after: call.after ?? 0,
    fromEnd: call.from_end ?? false,
    waitSeconds: reference === undefined ? 0 : waitSeconds(call),
  }
}

function queryRequest(call: RetrievalCall): QueryRequest {
  refuse(call, 'query', ['line_range', 'from_end', 'count_only'])
  const { reference, query = '', after = 0 } = call
  return { mode: 'query', reference, query, after }
}

function pathRequest(call: RetrievalCall): JsonPathRequest {
  const { reference, json_path: path = '', after = 0, count_only: countOnly = false } = call
  if (reference === undefined) throw referenceRequired('json_path')
  refuse(call, 'json_path', ['line_range', 'from_end'])
  return { mode: 'json-path', reference, path, after, countOnly }
}

function sqlRequest(call: RetrievalCall): SqlRequest {
  const { references = [], json_path: path, sql = '', after = 0 } = call
  const reference = call.reference ?? references[0]
  if (reference === undefined) throw referenceRequired('sql')
  if (sql.length > MAX_SQL_LENGTH) {
    throw new RetrievalError(
      'invalid-sql',
      `sql has ${formatCount(sql.length)} characters; at most ${formatCount(MAX_SQL_LENGTH)} are allowed.`,
    )
  }
  refuse(call, 'sql', ['line_range', 'from_end', 'count_only', 'context_lines', 'ignore_case'])
  if (references.length === 0) return { mode: 'sql', references: [reference], reference, sql, path, after }
  refuse(call, 'references', ['reference', 'json_path'])
  return { mode: 'sql', references, reference, sql, path, after }
}

function bytesRequest(call: RetrievalCall): BytesRequest {
  const { reference, byte_range: range } = call
  if (reference === undefined) throw referenceRequired('byte_range')
  refuse(call, 'byte_range', ['line_range', 'context_lines', 'after', 'from_end', 'count_only'])
  return { mode: 'bytes', reference, range: range! }
}

function linesRequest(call: RetrievalCall): RetrievalRequest {
  const { reference, line_range: range, after = 0, from_end: fromEnd = false } = call
  const lines = call.context_lines || undefined
  if (call.count_only === true) {
    throw invalidInput('count_only needs something to count: a pattern or a json_path.')
  }
  if (reference === undefined) {
    throw referenceRequired(range !== undefined ? 'line_range' : lines !== undefined ? 'context_lines' : undefined)
  }
  if (range !== undefined) {
    refuse(call, 'line_range', ['after', 'from_end'])
    return { mode: 'range', reference, range }
  }
  if (lines === undefined && after === 0 && !fromEnd && call.wait_seconds === undefined)
    return { mode: 'full', reference }
  const all = fromEnd ? DEFAULT_TAIL_LINES : Number.MAX_SAFE_INTEGER
  return { mode: 'head', reference, lines: lines ?? all, after, fromEnd, waitSeconds: waitSeconds(call) }
}

function assertRange(name: 'line_range' | 'byte_range', call: RetrievalCall): void {
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
  const lengths = `${formatCount(text.length)} characters; at most ${formatCount(MAX_TEXT_LENGTH)} are allowed`
  throw invalidInput(`${name} has ${lengths}.`)
}

const waitSeconds = ({ wait_seconds: seconds = 0 }: RetrievalCall): number => Math.min(seconds, MAX_WAIT_SECONDS)

/** Rejects parameters that cannot be used with `way`, because ignoring them would answer another question. */
function refuse(call: RetrievalCall, way: Parameter, names: readonly Parameter[]): void {
  const useless = names.filter((name) => !([undefined, false, 0] as unknown[]).includes(call[name]))
  if (useless.length === 0) return
  throw invalidInput(`${useless.join(' and ')} cannot be used with ${way}. Without:`, without(call, useless))
}

function without(call: RetrievalCall, names: readonly Parameter[]): RetrievalCall {
  return Object.fromEntries(Object.entries(call).filter(([name]) => !names.includes(name as Parameter)))
}

const MAX_REFERENCES = 5
export const EXAMPLE: RetrievalCall = {
  reference: 'call_1_0_…',
  pattern: 'error|failed',
  line_range: { start: 1, end: 200 },
}

/**
 * Functions that read the parameters. For absent parameters, models write `null`, empty text or lists, and zero ranges.
 */
const READERS: { readonly [Name in keyof RetrievalCall]-?: (value: unknown) => RetrievalCall[Name] } = {
  reference: (value) => readText('reference', value)?.replace(/^[\s"'`]+|[\s"'`]+$/g, ''),
  pattern: (value) => readText('pattern', typeof value === 'number' ? String(value) : value),
  line_range: (value) => readRange('line_range', value),
  byte_range: (value) => readRange('byte_range', value),
  context_lines: (value) => readCount('context_lines', value, 0),
  ignore_case: (value) => readFlag('ignore_case', value),
  json_path: (value) => readText('json_path', value),
  query: (value) => readText('query', value),
  sql: (value) => readText('sql', value),
  references: (value) => readTexts('references', value, MAX_REFERENCES),
  count_only: (value) => readFlag('count_only', value),
  from_end: (value) => readFlag('from_end', value),
  after: (value) => readCount('after', value, 0) || undefined,
  wait_seconds: (value) => readCount('wait_seconds', value, 0) || undefined,
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''
const NAMES = Object.keys(READERS)

/** Accepts input whose meaning is clear: numbers and flags as text, lines as `10-20` or `[10, 20]`, JSON in a text. */
function readParameters(given: unknown): RetrievalCall {
  const input = typeof given === 'string' ? (parseJsonText(given) ?? given) : given
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidInput(`The input must be an object, got ${describe(input)}.`)
  }
  const values = input as Readonly<Record<string, unknown>>
  const unknown = Object.keys(values).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) {
    const [closest] = closestNames(unknown, NAMES, 1)
    const meant = closest === undefined ? '' : ` Did you mean ${closest}?`
    throw invalidInput(`Unknown parameter ${quote(unknown)}.${meant} The parameters are ${NAMES.join(', ')}.`)
  }
  return Object.fromEntries(NAMES.map((name) => [name, READERS[name as keyof RetrievalCall](values[name])]))
}

/** Creates the error of an invalid input, with an example of a call unless `call` is given. */
export function invalidInput(message: string, call?: RetrievalCall): RetrievalError {
  if (call !== undefined) return new RetrievalError('invalid-input', message, { call })
  return new RetrievalError('invalid-input', `${message} A valid call:`, { call: EXAMPLE })
}

function readText(name: string, value: unknown): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') throw invalidInput(`${name} must be a string, got ${describe(value)}.`)
  return value
}

function readTexts(name: string, value: unknown, most: number): readonly string[] | undefined {
  if (isAbsent(value)) return undefined
  const list = typeof value === 'string' ? (listInText(value) ?? value.split(',').map((text) => text.trim())) : value
  if (!Array.isArray(list)) throw invalidInput(`${name} must be an array of strings, got ${describe(value)}.`)
  if (list.length > most) throw invalidInput(`${name} takes at most ${most} strings, got ${list.length}.`)
  const other = list.findIndex((text) => typeof text !== 'string')
  if (other >= 0) throw invalidInput(`${name}[${other}] must be a string, got ${describe(list[other])}.`)
  const texts = (list as readonly string[]).filter((text) => text !== '')
  return texts.length === 0 ? undefined : texts
}

function listInText(text: string): readonly unknown[] | undefined {
  const value = /^\s*\[\s*"/.test(text) ? parseJsonText(text) : undefined
  return Array.isArray(value) ? value : undefined
}

function readRange(name: string, value: unknown): LineRange | undefined {
  if (isAbsent(value)) return undefined
  const [start, end] = rangeEnds(name, typeof value === 'string' ? (parseJsonText(value) ?? value) : value)
  const first = isOpen(start) ? undefined : readCount(`${name}.start`, start, 1)
  const last = isOpen(end) || end === -1 || end === '-1' ? undefined : readCount(`${name}.end`, end, 1)
  if (first === undefined && last === undefined) return undefined
  return { start: first ?? 1, end: last ?? Number.MAX_SAFE_INTEGER }
}

/** Whether a range has no limit on one side. For no limit, models write `null`, zero, or nothing. */
const isOpen = (value: unknown): boolean => isAbsent(value) || value === 0 || value === '0'

function rangeEnds(name: string, value: unknown): readonly unknown[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const [, start, end = start] = /^\s*L?(\d+)(?:\s*(?:[-–:,]|\.\.|to)\s*L?(\d*))?\s*$/.exec(String(value)) ?? []
    if (start !== undefined) return [start, end]
  }
  if (Array.isArray(value) && value.length === 2) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput(`${name} must be an object with start and end, got ${describe(value)}.`)
  }
  const { start, end } = value as Readonly<Record<string, unknown>>
  return [start, end]
}

function readCount(name: string, value: unknown, least: number): number | undefined {
  if (isAbsent(value)) return undefined
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value
  if (typeof count !== 'number' || !Number.isInteger(count) || count < least) {
    throw invalidInput(`${name} must be a whole number, ${least} or more, got ${describe(value)}.`)
  }
  return Math.min(count, Number.MAX_SAFE_INTEGER)
}

function readFlag(name: string, value: unknown): boolean | undefined {
  if (isAbsent(value)) return undefined
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw invalidInput(`${name} must be true or false, got ${describe(value)}.`)
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `the string ${quote(value)}` : shown(value)
}

/** Returns the call without the limits for lines and matches. */
export function callOf(request: PatternRequest): RetrievalCall {
  const { reference, pattern, contextLines, ignoreCase, countOnly } = request
  return {
    reference,
    pattern,
    context_lines: contextLines === DEFAULT_CONTEXT_LINES ? undefined : contextLines,
    ignore_case: ignoreCase || undefined,
    count_only: countOnly || undefined,
  }
}

export function lineOmitted({ start }: LineRange, { afterLine, lines }: OmittedPart): RetrievalError {
  const next = afterLine + lines + 1
  return new RetrievalError(
    'invalid-range',
    `line_range.start (${formatCount(start)}) was not stored, because the output was over its limit. ` +
      `Choose lines up to ${afterLine}, or from ${next} on.`,
  )
}

export function byteBeyondEnd({ start }: ByteRange, size: number): RetrievalError {
  return new RetrievalError(
    'invalid-range',
    `byte_range.start (${formatCount(start)}) is beyond the end of the content, which has ${countOf(size, 'byte')}. ` +
      `Choose bytes between 1 and ${size}.`,
  )
}
