import type { RetrievalCall } from '@spillway/core'
import { InvalidArgumentError, type Command } from 'commander'

/** A span of lines, 1-based and inclusive. */
export interface LineSpan {
  readonly start: number
  readonly end: number
}

/** Parse `A:B`, `A:` (to the end), `:B` (from the first) or `A` (one line). */
export function parseLines(text: string): LineSpan {
  const match = /^(\d*)(:?)(\d*)$/.exec(text)
  const [, first = '', colon = '', last = ''] = match ?? []
  if (first === '' && last === '') throw invalid('Write A:B, A:, :B or A, such as 120:160.')
  const start = first === '' ? 1 : Number(first)
  const end = colon === '' ? start : last === '' ? Number.MAX_SAFE_INTEGER : Number(last)
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 1) throw invalid('Lines count from 1.')
  if (start > end) throw invalid(`It ends before it starts: write ${end}:${start}.`)
  return { start, end }
}

/** Parse a whole number, 0 or more. */
export const parseCount = (text: string): number => parseWhole(text, 0)

/** Parse a whole number, 1 or more. */
export const parsePositive = (text: string): number => parseWhole(text, 1)

function parseWhole(text: string, least: number, instead = ''): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(Number.isSafeInteger(count) && count >= least))
    throw invalid(`Write a whole number, ${least} or more${instead}.`)
  return count
}

/** Parse a share from 0 to 1. */
export function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(share >= 0 && share <= 1)) throw invalid('Write a number from 0 to 1, such as 0.75.')
  return share
}

/** Append what an option is given to what it was given before. */
export const collect = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, text]

/** Parse a whole number, 1 or more, or `none` for no limit. */
export const parseLimit = (text: string): number => (text === 'none' ? Infinity : parseWhole(text, 1, ', or none'))

/** What every storage takes for a content type. */
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/
const MAX_MIME_TYPE_LENGTH = 255

/** Check a content type. */
export function parseContentType(text: string): string {
  if (text.length > MAX_MIME_TYPE_LENGTH || !MIME_TYPE.test(text))
    throw invalid('Write a MIME type, such as text/plain or application/json.')
  return text
}

const UNIT_BYTES: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 }

/** Parse a number of bytes such as `65536`, `64MB` or `1.5GB`; units are of 1,024. */
export function parseBytes(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text) ?? []
  const bytes = Math.floor(Number(count) * (UNIT_BYTES[unit.toLowerCase()] ?? 0))
  if (!(bytes >= 1 && Number.isSafeInteger(bytes)))
    throw invalid('Write a number of bytes, such as 65536, 64MB or 1GB.')
  return bytes
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parse a length of time such as `90s`, `30m`, `12h`, `7d` or `2w` into milliseconds. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? 0)
  if (!(milliseconds > 0)) throw invalid('Write a number and a unit, such as 90s, 30m, 12h, 7d or 2w.')
  return milliseconds
}

/**
 * Parse a scope such as `tenant-1/session-9` into segments and append them to those of earlier options. Segments are
 * parted by slashes; `%2F` stands for a slash inside one, `%25` for a percent sign.
 */
export function parseScope(text: string, earlier: readonly string[] = []): string[] {
  const segments = text.split('/').map(decodeSegment)
  if (segments.includes('')) throw invalid('A scope is one or more non-empty segments, such as tenant-1/session-9.')
  return [...earlier, ...segments]
}

/** Write a scope as {@link parseScope} reads it. */
export const encodeScope = (segments: readonly string[]): string =>
  segments.map((segment) => segment.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/')

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (error) {
    if (error instanceof URIError) throw invalid('Write %25 for a percent sign, and %2F for a slash inside a segment.')
    throw error
  }
}

const invalid = (message: string): InvalidArgumentError => new InvalidArgumentError(message)

/** Tokens that an answer has at most, unless the caller says otherwise. */
export const DEFAULT_MAX_TOKENS = 2_500

/** Options of commands that ask the retrieval tool. */
export interface SearchOptions {
  readonly ignoreCase?: boolean
  readonly count?: boolean
  readonly fromEnd?: boolean
  readonly after?: number
  readonly query?: string
}

/** Add the options that say how to search, and what of it to show. */
export function addSearchOptions(command: Command): void {
  command
    .option('-i, --ignore-case', 'match in any case')
    .option('-c, --count', 'only count the matches')
    .option('--from-end', 'the last matches or lines instead of the first')
    .option('--after <count>', 'continue a capped answer, as it says', parseCount)
    .option('-q, --query <words>', 'the best passages for words')
}

/** Write the options as parameters of the retrieval tool. */
export function searchParameters(options: SearchOptions): RetrievalCall {
  return {
    query: options.query,
    ignore_case: options.ignoreCase,
    count_only: options.count,
    from_end: options.fromEnd,
    after: options.after,
  }
}

/** Parse names parted by commas, or a JSON array of names that may have commas. */
export function parseNames(text: string): readonly string[] {
  const names = text.startsWith('[') ? namesInJson(text) : text.split(',').map((name) => name.trim())
  if (names === undefined || names.includes('')) throw invalid('Write names parted by commas, such as path,status.')
  return names
}

function namesInJson(text: string): readonly string[] | undefined {
  try {
    const names: unknown = JSON.parse(text)
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
