import { expect, test } from 'vitest'
import { parseSearchPattern } from './search-pattern.ts'

test('an expression is described by what a search needs', () => {
  expect(parseSearchPattern('^ERROR.*time(?:out|d out)$', { ignoreCase: false })).toEqual({
    text: '^ERROR.*time(?:out|d out)$',
    ignoreCase: false,
    expression: '^ERROR.*time(?:out|d out)$',
    flags: 's',
    required: [['timeout', 'timed out'], ['ERROR']],
    cost: { degree: 1, factor: expect.any(Number) },
    textExpression: '^ERROR[^\\n]*time(?:out|d out)$',
    textFlags: 'sm',
    partExpression: '^ERROR.*time(?:out|d out)(?!)',
  })
})

test('plain text is its own literal', () => {
  expect(parseSearchPattern('connection refused', { ignoreCase: false })).toMatchObject({
    literal: 'connection refused',
    required: [['connection refused']],
  })
})

test('case is ignored as asked for, or as the pattern says', () => {
  for (const pattern of [
    parseSearchPattern('Foo.*BAR', { ignoreCase: true }),
    parseSearchPattern('(?i)Foo.*BAR', { ignoreCase: false }),
  ]) {
    expect(pattern).toMatchObject({ ignoreCase: true, expression: 'Foo.*BAR', flags: 'is', textFlags: 'ism' })
    expect(pattern.required).toEqual([['foo'], ['bar']])
  }
  expect(parseSearchPattern('(?-i)Foo', { ignoreCase: true })).toMatchObject({ ignoreCase: false, literal: 'Foo' })
})

test('what is no expression is searched literally, and why is said', () => {
  expect(parseSearchPattern('open(path, "r', { ignoreCase: false })).toMatchObject({
    problem: { message: 'Unterminated group', position: 4 },
    expression: 'open\\(path, "r',
    literal: 'open(path, "r',
    cost: { degree: 1 },
  })
  expect(parseSearchPattern('Öffne(', { ignoreCase: true })).toMatchObject({ required: [['ffne(']], flags: 'is' })
  expect(parseSearchPattern('Öffne(', { ignoreCase: true }).literal).toBeUndefined()
})

test('the flag u is set only where it is needed', () => {
  const flagsOf = (text: string): string => parseSearchPattern(text, { ignoreCase: false }).flags
  expect(['\\p{Lu}', '[😀-😂]', '\\P{L}'].map(flagsOf)).toEqual(['su', 'su', 'su'])
  expect(['\\u{e9}', '😀+', 'é', '\\w'].map(flagsOf)).toEqual(['s', 's', 's', 's'])
})

test('text with bytes that a search cannot tell apart has no literal', () => {
  for (const text of ['a\r', 'a\nb', 'a\ufeff', 'a\ufffd', '\ud83d'])
    expect(parseSearchPattern(text, { ignoreCase: false }).literal).toBeUndefined()
})

test('a text that is too long for an expression is a literal of any length', () => {
  const text = 'a(b\n'.repeat(300_000)
  const { expression, textExpression, problem, literal, cost } = parseSearchPattern(text, { ignoreCase: false })
  expect(problem).toEqual({ message: 'An expression has at most 2,048 characters', position: 2_048 })
  expect(expression).toBe('a\\(b\n'.repeat(300_000))
  expect(textExpression).toBe('a\\(b[]'.repeat(300_000))
  expect(literal).toBeUndefined()
  expect(cost.degree).toBe(1)
  expect(parseSearchPattern('A(b'.repeat(1_000), { ignoreCase: true }).literal).toBe('a(b'.repeat(1_000))
})
