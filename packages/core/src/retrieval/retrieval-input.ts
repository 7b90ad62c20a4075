import { formatCount } from '../content/format-count.ts'
import type { LineRange } from '../content/line-range.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import { RetrievalError } from './retrieval-error.ts'
import { quote } from './plain-text.ts'

/** A search, in one content or in all of a scope. */
export interface PatternRequest {
  readonly mode: 'pattern'
  readonly reference: string | undefined
  readonly pattern: string
  readonly range: LineRange | undefined
  readonly contextLines: number
  readonly ignoreCase: boolean
}

/** A checked call of the retrieval tool. */
export type RetrievalRequest =
  | PatternRequest
  | { readonly mode: 'range'; readonly reference: string; readonly range: LineRange }
  | { readonly mode: 'head'; readonly reference: string; readonly lines: number }
  | { readonly mode: 'full'; readonly reference: string }

/** Lines of context unless the call says otherwise. */
export const DEFAULT_CONTEXT_LINES = 5
const MAX_CONTEXT_LINES = 100
const MAX_PATTERN_LENGTH = 1_000
const PARAMETERS: readonly (keyof RetrievalCall)[] = [
  'reference',
  'pattern',
  'line_range',
  'context_lines',
  'ignore_case',
]
const EXAMPLE: RetrievalCall = { reference: 'call_1_0_…', pattern: 'error|failed', line_range: { start: 1, end: 200 } }

/** Check what a model wrote. `null` and an empty string count as absent. Throws a {@link RetrievalError}. */
export function parseRetrievalInput(input: unknown): RetrievalRequest {
  const call = parseParameters(input)
  const { reference, pattern, line_range: range, context_lines: lines } = call
  if (range !== undefined && range.start > range.end) {
    const swapped = { ...call, line_range: { start: range.end, end: range.start } }
    throw new RetrievalError(
      'invalid-range',
      `line_range.start (${formatCount(range.start)}) must not be after line_range.end (${formatCount(range.end)}). ` +
        'With both in order:',
      { call: swapped },
    )
  }
  if (pattern !== undefined) {
    if (pattern.length > MAX_PATTERN_LENGTH) {
      throw new RetrievalError(
        'pattern-refused',
        `The pattern has ${formatCount(pattern.length)} characters; at most ${formatCount(MAX_PATTERN_LENGTH)} are ` +
          'taken. Use its most distinctive part.',
      )
    }
    if (reference === undefined && range !== undefined) throw referenceRequired('line_range')
    const contextLines = Math.min(lines ?? DEFAULT_CONTEXT_LINES, MAX_CONTEXT_LINES)
    return { mode: 'pattern', reference, pattern, range, contextLines, ignoreCase: call.ignore_case ?? false }
  }
  if (reference === undefined) {
    throw referenceRequired(range !== undefined ? 'line_range' : lines !== undefined ? 'context_lines' : undefined)
  }
  if (range !== undefined) return { mode: 'range', reference, range }
  if (lines !== undefined) return { mode: 'head', reference, lines: Math.max(1, lines) }
  return { mode: 'full', reference }
}

/** Say that a call needs a reference, for the sake of `parameter` where it is about one. */
export function referenceRequired(parameter?: 'pattern' | 'line_range' | 'context_lines'): RetrievalError {
  const reason = parameter === undefined ? 'A reference is required' : `${parameter} needs a reference`
  return invalid(`${reason}: one of those listed under [Stored references:] in an offloaded result.`)
}

function parseParameters(input: unknown): RetrievalCall {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(`The input must be an object, got ${describe(input)}.`)
  }
  const values = input as Readonly<Record<string, unknown>>
  const unknown = Object.keys(values).filter((name) => !(PARAMETERS as readonly string[]).includes(name))
  if (unknown.length > 0) {
    throw invalid(`Unknown parameter ${quote(unknown[0]!)}. The parameters are ${PARAMETERS.join(', ')}.`)
  }
  const ignoreCase = values['ignore_case'] ?? undefined
  if (ignoreCase !== undefined && typeof ignoreCase !== 'boolean') {
    throw invalid(`ignore_case must be true or false, got ${describe(ignoreCase)}.`)
  }
  return {
    reference: textParameter('reference', values['reference']),
    pattern: textParameter('pattern', values['pattern']),
    line_range: rangeParameter(values['line_range']),
    context_lines: countParameter('context_lines', values['context_lines'] ?? undefined, 0),
    ignore_case: ignoreCase,
  }
}

function textParameter(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalid(`${name} must be a string, got ${describe(value)}.`)
  return value
}

function rangeParameter(value: unknown): LineRange | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(`line_range must be an object with start and end, got ${describe(value)}.`)
  }
  const { start, end } = value as Readonly<Record<string, unknown>>
  return { start: requiredCount('line_range.start', start), end: requiredCount('line_range.end', end) }
}

function requiredCount(name: string, value: unknown): number {
  const count = countParameter(name, value ?? undefined, 1)
  if (count === undefined) throw invalid(`${name} is missing: line_range needs both start and end.`)
  return count
}

function countParameter(name: string, value: unknown, least: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least) {
    throw invalid(`${name} must be a whole number, ${least} or more, got ${describe(value)}.`)
  }
  return Math.min(value, Number.MAX_SAFE_INTEGER)
}

function invalid(message: string): RetrievalError {
  return new RetrievalError('invalid-input', `${message} A right call:`, { call: EXAMPLE })
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string ${quote(value)}`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' ? 'an object' : typeof value
}
