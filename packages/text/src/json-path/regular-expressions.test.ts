import { describe, expect, test } from 'vitest'
import { TextExpressions, TextTooLong } from './regular-expressions.ts'

const find = (pattern: string, text: string): boolean | undefined =>
  new TextExpressions().get(pattern, false)?.test(text)
const match = (pattern: string, text: string): boolean | undefined =>
  new TextExpressions().get(pattern, true)?.test(text)

describe('an expression of a path', () => {
  test('matches a part of a text, or the whole', () => {
    expect(find('b.d', 'abcde')).toBe(true)
    expect(match('b.d', 'abcde')).toBe(false)
    expect(match('a(b|x)c?', 'ab')).toBe(true)
    expect(find('plain word', 'a plain word here')).toBe(true)
    expect(find('', 'any')).toBe(true)
  })

  test('has a dot that is any character but LF and CR, and in a class a dot', () => {
    expect(['\n', '\r', '\u2028', '😀'].map((text) => match('.', text))).toEqual([false, false, true, true])
    expect([match('[.]', '.'), match('[.]', 'a'), match('\\.', 'a'), match('[\\]]', ']')]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  test('may be more than RFC 9485 has, as models write it', () => {
    expect(find('\\d{3}\\b', 'code 404')).toBe(true)
    expect(find('\\p{Lu}', 'été')).toBe(false)
    expect([find('(?i)ERROR: .*', 'an error: x'), find('^an', 'an error'), find('or$', 'an error')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('is unknown where RE2 does not know it, or would be very large', () => {
    const expressions = new TextExpressions()
    for (const pattern of ['(', '[', '(?=a)', '(a)\\1', 'a**', '(((a{100}){100}){100})', 'x{900}y{900}'])
      expect(expressions.get(pattern, false)).toBeUndefined()
  })

  test('takes time linear in a text, and refuses one that is too long for it', () => {
    expect(match('(a+)+b', 'a'.repeat(50_000))).toBe(false)
    expect(() => find('(a|b|c)+d{50}x', 'a'.repeat(5_000_000))).toThrow(TextTooLong)
    expect(find('needle', `${'a'.repeat(5_000_000)}needle`)).toBe(true)
  })

  test('is compiled once', () => {
    const expressions = new TextExpressions()
    expect(expressions.get('a+', true)).toBe(expressions.get('a+', true))
    expect(expressions.get('a+', true)).not.toBe(expressions.get('a+', false))
  })
})
