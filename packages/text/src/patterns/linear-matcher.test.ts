import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generatedMatches, QUANTIFIERS } from '../../test/generated-patterns.ts'
import { createLinearMatcher } from './linear-matcher.ts'

type Match = readonly [start: number, end: number]

function linear(source: string, flags: string, line: string): readonly Match[] | undefined {
  const matcher = createLinearMatcher(source, `s${flags}`)
  if (matcher === undefined) return undefined
  const found: Match[] = []
  for (const _ of matcher.matchLine(line, (start, end) => found.push([start, end])));
  return found
}

const matches = generatedMatches({
  atoms: ['a', 'b', 'é', 'S', '.', '[ab]', '[^a]', '\\w', '\\W', '\\s', '\\d', '\\S', '-', '\\u212a', '[]', '[^]'],
  assertions: ['^', '$', '\\b', '\\B'],
  quantifiers: QUANTIFIERS,
  groups: ['(', '(?:'],
})
const noise = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', 'É', 's', 'ſ', 'K', ' ', '1', '-', '\r', '😀', '\ud800'),
  maxLength: 3,
})

describe('the linear matcher', () => {
  it('finds the same matches as JavaScript', () => {
    fc.assert(
      fc.property(
        matches,
        noise,
        noise,
        fc.constantFrom('', 'i', 'u', 'iu'),
        ({ source, sample }, before, after, flags) => {
          // V8 finds `\\B` between the two halves of a surrogate pair.
          fc.pre(!flags.includes('u') || !source.includes('\\B'))
          const line = `${before}${sample}${after}`.replaceAll('\n', ' ').slice(0, 12)
          const match = new RegExp(source, `${flags}s`).exec(line)
          expect(linear(source, flags, line)?.map(([start]) => start)).toEqual(match === null ? [] : [match.index])
        },
      ),
      propertyRuns(1_000, 50_000),
    )
  })

  it.each([
    ['a|ab', 'xab', [[1, 2]]],
    ['ab|a', 'xab', [[1, 3]]],
    ['a+?b*', 'aab', [[0, 1]]],
    ['(a*)*', 'aab', [[0, 2]]],
    ['(?:a|b){2,3}?', 'abab', [[0, 2]]],
    ['.*b', 'abcbd', [[0, 4]]],
    ['\\bfoo\\b', 'afoo foo', [[5, 8]]],
    ['$', 'ab', [[2, 2]]],
    ['', 'ab', [[0, 0]]],
    ['[]', 'ab', []],
    ['a$', 'ab', []],
    [`${'a?'.repeat(60)}${'a'.repeat(60)}`, 'a'.repeat(60), [[0, 60]]],
    ['(?:[ab]{0,200}c){1,3}', 'abcabc', [[0, 6]]],
  ])('matches %s in %j at %j', (source, line, expected) => {
    expect(linear(source, '', line)).toEqual(expected)
  })

  it('finds all matches that are not empty in a very long line', () => {
    const found = linear('b+|$', '', `${'a'.repeat(5_000)}bba${'a'.repeat(10)}b`)
    expect(found).toEqual([
      [5_000, 5_002],
      [5_013, 5_014],
    ])
    expect(linear('x|b*', '', `${'a'.repeat(5_000)}bba`)).toEqual([
      [0, 0],
      [5_000, 5_002],
    ])
  })

  it('does not match `$` and `\\b` at the end of a part if the line continues', () => {
    const inPart = (source: string): readonly Match[] => {
      const found: Match[] = []
      const part = { from: 1, until: Infinity, goesOn: true }
      const take = (start: number, end: number): number => found.push([start, end])
      for (const _ of createLinearMatcher(source, 's')!.matchLine('aab', take, part));
      return found
    }
    expect(inPart('b$')).toEqual([])
    expect(inPart('b\\b')).toEqual([])
    expect(inPart('^a')).toEqual([])
    expect(inPart('a.')).toEqual([[1, 3]])
  })

  it('rejects look-around, backreferences, and expressions that are too large', () => {
    for (const source of ['a(?=b)', '(?<!a)b', '(a)\\1', '(?:x?){99999999}', '(?:(?:a{99}){99}){99}'])
      expect(createLinearMatcher(source, 's')).toBeUndefined()
  })

  it('yields within a line, and deletes its states if they take too much memory', () => {
    let state = 1
    const random = (): string => 'ab'[(state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 31]!
    const line = Array.from({ length: 30_000 }, random).join('')
    const found: number[] = []
    let pauses = 0
    for (const _ of createLinearMatcher('a[ab]{100}a$|b{40}', 's')!.matchLine(line, (start) => found.push(start)))
      pauses++
    const last = line.length - 102
    expect(found).toEqual(line[last] === 'a' && line.endsWith('a') ? [last] : [])
    expect(pauses).toBeGreaterThan(5)
  })
})
