import { describe, expect, it } from 'vitest'
import { parseJsonBody } from './parse-json-body.ts'

const LIMITS = { maxJsonDepth: 200, maxJsonValues: 100_000 }
const parse = (text: string | Uint8Array): unknown =>
  parseJsonBody(typeof text === 'string' ? new TextEncoder().encode(text) : text, LIMITS)

describe('parseJsonBody', () => {
  it.each([
    ['nothing', ''],
    ['a part', '{"a":'],
    ['more than one value', '{} {}'],
    ['what only JavaScript reads', "{a: 'b'}"],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['100,000 levels that never end', '{"a":'.repeat(100_000)],
    ['UTF-8 that is none', Uint8Array.of(0x22, 0xff, 0x22)],
    ['UTF-16', Uint8Array.from(Buffer.from('{"a":1}', 'utf16le'))],
  ])('refuses %s', (_name, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'invalid-json', status: 400 }))
  })

  it('refuses so many values that they would fill the memory', () => {
    expect(() => parse(`[${'0,'.repeat(100_001)}0]`)).toThrow(
      expect.objectContaining({ code: 'too-large', status: 413 }),
    )
  })

  it('shows nothing of the body in what it says', () => {
    expect(() => parse('{"secret": tru')).toThrow('The body is no JSON.')
  })

  it('takes the last of equal keys, and __proto__ for a key', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ a: 2 })
    const value = parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('takes a byte order mark, and what is just within the limits', () => {
    expect(parse(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe(1)
    expect(parse('['.repeat(200) + ']'.repeat(200))).toBeDefined()
  })
})
