import { parseJsonText } from '@spillway/text/internal/json'
import type { LineRange } from '@spillway/text/internal'
import { quote } from './plain-text.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import { RetrievalError } from './retrieval-error.ts'

/** Patterns of one call, at most. */
const MAX_PATTERNS = 20
const MAX_COLUMNS = 1_000

const EXAMPLE: RetrievalCall = { reference: 'call_1_0_…', pattern: 'error|failed', line_range: { start: 1, end: 200 } }

/** How each parameter is read. `null`, empty text, empty lists and a `limit` of 0 are what a model writes for absent. */
const READERS: { readonly [Name in keyof RetrievalCall]-?: (value: unknown) => RetrievalCall[Name] } = {
  reference: (value) => readText('reference', value),
  pattern: () => undefined,
  patterns: () => undefined,
  line_range: (value) => readRange('line_range', value),
  byte_range: (value) => readRange('byte_range', value),
  context_lines: (value) => readCount('context_lines', value, 0),
  ignore_case: (value) => readFlag('ignore_case', value),
  json_path: (value) => readText('json_path', value),
  query: (value) => readText('query', value),
  columns: (value) => readTexts('columns', value, MAX_COLUMNS, (text) => text.split(',')),
  where: (value) => readText('where', value),
  count_only: (value) => readFlag('count_only', value),
  limit: (value) => readCount('limit', value, 0) || undefined,
  skip: (value) => readCount('skip', value, 0) || undefined,
  from_end: (value) => readFlag('from_end', value),
}

const NAMES = Object.keys(READERS)

/** Parameters that were read; `patterns` are all of them, also a single one. */
export type RetrievalParameters = Omit<RetrievalCall, 'pattern'>

/**
 * Read the parameters of a call, forgiving what is plainly meant: numbers and flags as text, one pattern for several and
 * the other way round, columns as one text with commas, lines as `10-20` or `[10, 20]`, JSON in a text.
 *
 * Throws `invalid-input` for everything else.
 */
export function readParameters(input: unknown): RetrievalParameters {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidInput(`The input must be an object, got ${describe(input)}.`)
  }
  const values = input as Readonly<Record<string, unknown>>
  const unknown = Object.keys(values).filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    throw invalidInput(`Unknown parameter ${quote(unknown[0]!)}. The parameters are ${NAMES.join(', ')}.`)
  }
  const { pattern: _pattern, ...read } = Object.fromEntries(
    NAMES.map((name) => [name, READERS[name as keyof RetrievalCall](values[name])]),
  ) as RetrievalCall
  const patterns = [...(readPatterns('pattern', values) ?? []), ...(readPatterns('patterns', values) ?? [])]
  return { ...read, patterns: patterns.length === 0 ? undefined : [...new Set(patterns)] }
}

/** Say what is wrong with a call; unless there is a better one, an example follows. */
export function invalidInput(message: string, call?: RetrievalCall): RetrievalError {
  if (call !== undefined) return new RetrievalError('invalid-input', message, { call })
  return new RetrievalError('invalid-input', `${message} A right call:`, { call: EXAMPLE })
}

function readPatterns(
  name: 'pattern' | 'patterns',
  values: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  const value = values[name]
  // One pattern may well look like a list: it is a class of characters.
  if (name === 'pattern' && !Array.isArray(value)) {
    const text = readText(name, value)
    return text === undefined ? undefined : [text]
  }
  return readTexts(name, value, MAX_PATTERNS, (text) => [text])
}

function readText(name: string, value: unknown): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') throw invalidInput(`${name} must be a string, got ${describe(value)}.`)
  return value
}

function readTexts(
  name: string,
  value: unknown,
  most: number,
  split: (text: string) => readonly string[],
): readonly string[] | undefined {
  if (isAbsent(value)) return undefined
  const list = typeof value === 'string' ? (listInText(value) ?? split(value)) : value
  if (!Array.isArray(list)) throw invalidInput(`${name} must be an array of strings, got ${describe(value)}.`)
  if (list.length > most) throw invalidInput(`${name} takes at most ${most} strings, got ${list.length}.`)
  const other = list.findIndex((text) => typeof text !== 'string')
  if (other >= 0) throw invalidInput(`${name}[${other}] must be a string, got ${describe(list[other])}.`)
  const texts = (list as readonly string[])
    .map((text) => (name === 'columns' ? text.trim() : text))
    .filter((text) => text !== '')
  return texts.length === 0 ? undefined : texts
}

/** A list that a model has written as text. */
function listInText(text: string): readonly unknown[] | undefined {
  const value = /^\s*\[\s*"/.test(text) ? parseJsonText(text) : undefined
  return Array.isArray(value) ? value : undefined
}

function readRange(name: string, value: unknown): LineRange | undefined {
  if (isAbsent(value)) return undefined
  const [start, end] = rangeEnds(name, typeof value === 'string' ? (parseJsonText(value) ?? value) : value)
  return { start: readEnd(name, 'start', start), end: readEnd(name, 'end', end) }
}

function rangeEnds(name: string, value: unknown): readonly unknown[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const [, start, end = start] = /^\s*(\d+)(?:\s*(?:-|:|,|\.\.|to)\s*(\d+))?\s*$/.exec(String(value)) ?? []
    if (start !== undefined) return [start, end]
  }
  if (Array.isArray(value) && value.length === 2) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput(`${name} must be an object with start and end, got ${describe(value)}.`)
  }
  const { start, end } = value as Readonly<Record<string, unknown>>
  return [start, end]
}

function readEnd(name: string, end: 'start' | 'end', value: unknown): number {
  const number = readCount(`${name}.${end}`, value, 1)
  if (number === undefined) throw invalidInput(`${name}.${end} is missing: ${name} needs both start and end.`)
  return number
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

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return `the string ${quote(value)}`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'object' ? 'an object' : typeof value
}
