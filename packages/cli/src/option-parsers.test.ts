import { InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encodeScope,
  parseAddress,
  parseCount,
  parseDuration,
  parseLimit,
  parseLines,
  parseNames,
  parsePositive,
  parseScope,
  parseShare,
} from './option-parsers.ts'

describe('parseLines', () => {
  test.each([
    ['3:7', { start: 3, end: 7 }],
    ['3:', { start: 3, end: Number.MAX_SAFE_INTEGER }],
    [':7', { start: 1, end: 7 }],
    ['7', { start: 7, end: 7 }],
  ])('reads %s', (text, span) => {
    expect(parseLines(text)).toEqual(span)
  })

  test.each(['', ':', '0', '0:5', '5:4', 'a:b', '1:2:3', '-1', '1.5', ' 1', '9'.repeat(20)])('refuses %j', (text) => {
    expect(() => parseLines(text)).toThrow(InvalidArgumentError)
  })
})

test('names are separated by commas, or are an array if they contain commas', () => {
  expect(parseNames('path, status')).toEqual(['path', 'status'])
  for (const text of ['', 'a,,b']) expect(() => parseNames(text)).toThrow(InvalidArgumentError)
})

test('shares are numbers from 0 to 1', () => {
  expect(['0', '1', '0.75', '.5', '1.0'].map(parseShare)).toEqual([0, 1, 0.75, 0.5, 1])
  for (const text of ['', '1.1', '-0.5', '75%', '1e-1', '0x1', '.', 'NaN'])
    expect(() => parseShare(text)).toThrow(InvalidArgumentError)
})

describe('parseDuration', () => {
  test.each([
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['30m', 1_800_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  test.each(['', '5', 'd', '0s', '-1d', '1y', '1 d'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/such as 90s/)
  })
})

describe('parseScope', () => {
  test('returns every list of segments that was encoded', () => {
    const segments = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(segments, (scope) => {
        expect(parseScope(encodeScope(scope))).toEqual(scope)
      }),
    )
  })

  test('joins repeated options', () => {
    expect(parseScope('c', parseScope('a/b'))).toEqual(['a', 'b', 'c'])
  })

  test.each(['', '/', 'a/', '/a', 'a//b', '%', '%E0%A4%A'])('refuses %j', (text) => {
    expect(() => parseScope(text)).toThrow(InvalidArgumentError)
  })
})

test.each([
  ['parseCount', parseCount, 'Write a whole number, 0 or more.'],
  ['parsePositive', parsePositive, 'Write a whole number, 1 or more.'],
  ['parseLimit', parseLimit, 'Write a whole number, 1 or more, or none.'],
])('%s refuses invalid numbers, always with the same message', (_, parse, message) => {
  expect(parse('5')).toBe(5)
  const texts = ['', '-1', '1.5', '1e3', 'x', 'Infinity', '9'.repeat(20), ...(parse === parseCount ? [] : ['0'])]
  for (const text of texts) expect(() => parse(text), text).toThrow(new InvalidArgumentError(message))
})

test('a count may be 0, and a limit may be `none`', () => {
  expect([parseCount('0'), parseLimit('none')]).toEqual([0, Infinity])
})

test.for<readonly [string, string, number]>([
  ['8003', '127.0.0.1', 8_003],
  ['0', '127.0.0.1', 0],
  ['localhost:1', 'localhost', 1],
  ['[::1]:8003', '::1', 8_003],
  ['0.0.0.0:65535', '0.0.0.0', 65_535],
])('parseAddress reads %s', ([text, host, port]) => {
  expect(parseAddress(text)).toEqual({ host, port })
})

test.for(['', 'x', '65536', '-1', ':1', 'a b:1', '::1:8003', '1:2:3', 'http://a:1'])(
  'parseAddress refuses %s',
  (text) => {
    expect(() => parseAddress(text)).toThrow('Write a port')
  },
)
