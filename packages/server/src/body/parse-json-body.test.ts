import fc from 'fast-check'
import { parseExactJson } from '@spillway/core/adapter'
import { propertyRuns } from '@spillway-internal/test-run'
import { codePoint } from '@spillway-internal/test-run/code-point'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseJsonBody } from './parse-json-body.ts'

const LIMITS = { maxJsonDepth: 200, maxJsonValues: 100_000 }

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const parse = (text: string | Uint8Array): Promise<unknown> =>
  parseJsonBody(typeof text === 'string' ? encode(text) : text, LIMITS)

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
  ])('rejects %s', async (_name, text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'invalid-json', status: 400 })
  })

  it.each([
    ['too many values', `[[[${'0,'.repeat(100_001)}0]]]`],
    ['too many fields', `{${'"a":0,'.repeat(10_000)}"a":0}`],
    ['too many members of a field', `{"a":{${'"a":0,'.repeat(10_000)}"a":0}}`],
    ['a key that is too long', `{"${'a'.repeat(70_000)}":0}`],
  ])('rejects %s', async (_name, text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'too-large', status: 413 })
  })

  it('parses the bodies of several callers in turn', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 100))
    onTestFinished(() => void vi.restoreAllMocks())
    const body = encode(JSON.stringify('x'.repeat(500_000)))
    let order = ''
    const parseOf = (caller: string) => parseJsonBody(body, { ...LIMITS, caller }).then(() => (order += caller))
    await Promise.all(['a', 'a', 'b'].map(parseOf))
    expect(order).toBe('baa')
  })

  it('does not quote the body in its error', async () => {
    await expect(parse('{"secret": tru')).rejects.toThrow('The body is not valid JSON.')
  })

  it('uses the last value of a repeated key, and accepts __proto__ as a key', async () => {
    expect(await parse('{"a":1,"a":2}')).toEqual({ a: 2 })
    const value = (await parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    )) as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('accepts a byte order mark, and bodies exactly at the limits', async () => {
    expect(await parse(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe(1)
    expect(await parse('['.repeat(200) + ']'.repeat(200))).toBeDefined()
  })
})

describe('parseJsonBody with values parsed in parts', () => {
  const options = { ...LIMITS, maxJsonDepth: 1_000 }
  const inPieces = (text: string, pieceBytes: number, parse?: (text: string) => unknown): Promise<unknown> =>
    parseJsonBody(encode(text), { ...options, pieceBytes, parse })

  const strings = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 300 }),
    fc.stringMatching(/^[\\\\"{}[\]:,u]{0,300}$/),
    fc.constantFrom('__proto__', '1', 'a'.repeat(1_000), '\ufeff', '😀'.repeat(200)),
  )
  const { value: values } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, true, 1, -1.5e300),
      strings,
      fc.array(tie('value'), { maxLength: 8 }),
      fc.array(fc.tuple(fc.string({ maxLength: 8 }), tie('value')), { maxLength: 8 }).map(Object.fromEntries),
    ),
  }))
  const indents = fc.constantFrom(undefined, 1, '\t')

  it('returns the same as JSON.parse for any size of a part', async () => {
    await fc.assert(
      fc.asyncProperty(values, indents, fc.integer({ min: 64, max: 200 }), async (value, indent, pieceBytes) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(await inPieces(text, pieceBytes)).toStrictEqual(JSON.parse(text))
      }),
      propertyRuns(500, 5_000),
    )
  })

  it('never accepts what JSON.parse rejects', async () => {
    const marks = fc.constantFrom('[', ']', '{', '}', ',', ':', ' ', '"', '"a"', '1', 'null', `"${'b'.repeat(40)}"`)
    const edits = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 2 }), marks)
    await fc.assert(
      fc.asyncProperty(values, edits, async (value, [place, removed, mark]) => {
        const text = JSON.stringify(value)
        const at = Math.floor(place * text.length)
        const edited = `${text.slice(0, at)}${mark}${text.slice(at + removed)}`.toWellFormed()
        const parsed = await inPieces(edited, 16).catch((error: unknown) => error)
        if (!(parsed instanceof Error)) expect(parsed).toStrictEqual(JSON.parse(edited))
      }),
      propertyRuns(2_000, 20_000),
    )
  })

  it.each([
    '[,[0,0,0,0,0,0,0,0]]',
    '[[0,0,0,0,0,0,0,0],]',
    '[[0,0,0,0,0,0,0,0] 1]',
    '[[0,0,0,0,0,0,0,0][0]]',
    '1[0,0,0,0,0,0,0,0]',
    '[0,0,0,0,0,0,0,0]1',
    '[0,0,0,0,0,0,0,0}',
    '{"a"[0,0,0,0,0,0,0,0]}',
    '{"a":1[0,0,0,0,0,0,0,0]}',
    '{[0,0,0,0,0,0,0,0]}',
    '"0123456789\\"',
    '"0123456789\n01234"',
  ])('rejects %s', async (text) => {
    await expect(inPieces(text, 8)).rejects.toMatchObject({ code: 'invalid-json' })
  })

  it('keeps numbers that JavaScript cannot represent', async () => {
    const text = `[${'10.00,'.repeat(20)}{"id":1915883588174806058,"x":[${'1.0,'.repeat(20)}-0]}]`
    expect(JSON.stringify(await inPieces(text, 32, parseExactJson))).toBe(text)
  })
})
