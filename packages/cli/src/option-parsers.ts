import { InvalidArgumentError } from 'commander'

/** A range of lines, 1-based and inclusive. */
export interface LineSpan {
  readonly start: number
  readonly end: number
}

/** Parse `A:B`, `A:`, `:B` or `A`. */
export function parseLines(text: string): LineSpan {
  const match = /^(\d*)(:?)(\d*)$/.exec(text)
  const [, first = '', colon = '', last = ''] = match ?? []
  if (first === '' && last === '') throw invalid('Write A:B, A:, :B or A, such as 120:160.')
  const start = first === '' ? 1 : Number(first)
  const end = colon === '' ? start : last === '' ? Number.MAX_SAFE_INTEGER : Number(last)
  if (![start, end].every(Number.isSafeInteger) || start < 1) throw invalid('Write numbers from 1 to 9007199254740991.')
  if (start > end) throw invalid(`The last line is before the first: write ${end}:${start}.`)
  return { start, end }
}

export const parseCount = (text: string): number => parseWhole(text, 0)

export const parsePositive = (text: string): number => parseWhole(text, 1)

function parseWhole(text: string, least: number, instead = ''): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(Number.isSafeInteger(count) && count >= least))
    throw invalid(`Write a whole number, ${least} or more${instead}.`)
  return count
}

export function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(share >= 0 && share <= 1)) throw invalid('Write a number from 0 to 1, such as 0.75.')
  return share
}

/** Collect the values of a repeated option. */
export const collect = (text: string, all: readonly string[] = []): readonly string[] => [...all, parseText(text)]

/** Refuse an empty text, for example of a variable that a script has not set. */
export function parseText(text: string): string {
  if (text === '') throw invalid('It must not be empty.')
  return text
}

export const parseLimit = (text: string): number => (text === 'none' ? Infinity : parseWhole(text, 1, ', or none'))

/** A content type that every storage accepts. */
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: *;[\x20-\x7e]*)?$/
const MAX_MIME_TYPE_LENGTH = 255

export function parseContentType(text: string): string {
  if (text.length > MAX_MIME_TYPE_LENGTH || !MIME_TYPE.test(text))
    throw invalid('Write a MIME type, such as text/plain or application/json.')
  return text
}

const UNIT_BYTES: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 }

/** Parse bytes such as `65536`, `64MB` or `1.5GB`, in units of 1,024. */
export function parseBytes(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(text) ?? []
  const bytes = Math.floor(Number(count) * (UNIT_BYTES[unit.toLowerCase()] ?? 0))
  if (!(bytes >= 1 && Number.isSafeInteger(bytes)))
    throw invalid('Write a number of bytes, such as 65536, 64MB or 1GB.')
  return bytes
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parse a duration such as `90s`, `30m`, `12h`, `7d` or `2w` to milliseconds. */
export function parseDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  const milliseconds = Number(count) * (UNIT_MS[unit] ?? 0)
  if (!(milliseconds > 0)) throw invalid('Write a number and a unit, such as 90s, 30m, 12h, 7d or 2w.')
  return milliseconds
}

/** Parse a scope such as `tenant-1/session-9`, and append it. `%2F` is a slash, and `%25` a percent sign. */
export function parseScope(text: string, earlier: readonly string[] = []): string[] {
  const segments = text.split('/').map(decodeSegment)
  if (segments.includes('')) throw invalid('A scope is one or more non-empty segments, such as tenant-1/session-9.')
  return [...earlier, ...segments]
}

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

/** Parse comma-separated names. */
export function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw invalid('Write names separated by commas, such as path,status.')
  return names
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Parse `8003`, `127.0.0.1:8003` or `[::1]:8003`. */
export function parseAddress(text: string): ListenAddress {
  const [, bracketed, name, port = ''] = /^(?:(?:\[([\da-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw invalid('Write a port, such as 8003, or an address with one, such as 127.0.0.1:8003.')
  return { host: bracketed ?? name ?? '127.0.0.1', port: Number(port) }
}

const invalid = (message: string): InvalidArgumentError => new InvalidArgumentError(message)
