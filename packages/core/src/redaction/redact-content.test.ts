import fc from 'fast-check'
import type { ContentBlock } from '@spillway/text/internal'
import { describe, expect, it } from 'vitest'
import { ArrivingRedaction, redactChunks, redactContent, redactedJson } from './redact-content.ts'
import { resolveRedact, type RedactOptions } from './redact-text.ts'

const redactOf = (options: RedactOptions) => resolveRedact(options)!
const SECRET = `ghp_${'a1B2'.repeat(9)}`

/** A careless rule, which also removes a quote right after the secret. */
const greedy = (text: string): string => text.replace(/secret=\S+/g, '[gone]')

const json = (value: unknown): string => JSON.stringify(value, null, 2)

describe('redactedJson', () => {
  it('redacts each text, and is still valid JSON', () => {
    expect(redactedJson(json({ a: 'the secret=abc', b: ['secret=x\nnext line', 1] }), greedy)).toBe(
      json({ a: 'the [gone]', b: ['[gone]\nnext line', 1] }),
    )
  })

  it('redacts a value that only its key marks as secret', () => {
    const byKey = (text: string): string => text.replace(/"password": "[^"]*"/g, '"password": "[gone]"')
    expect(redactedJson(json({ password: 'abc', b: 1 }), byKey)).toBe(json({ password: '[gone]', b: 1 }))
  })

  it('keeps numbers, spaces and the escapes of other values', () => {
    const text = '{"id":1915883588174806058, "price":10.00,\n"a":"secret=abc","b":"\\u0041\\\\"}'
    expect(redactedJson(text, greedy)).toBe(text.replace('secret=abc', '[gone]'))
  })

  it('redacts every text of a document, but no keys, and then the whole document', () => {
    const units = fc.constantFrom('a', '"', '\\', ' ', ':', '\n', 'é', ',', '{', '}')
    const document = fc
      .jsonValue({ stringUnit: units })
      .chain((value) => fc.constantFrom(JSON.stringify(value), json(value)))
    fc.assert(
      fc.property(document, (text) => {
        const given: string[] = []
        const values: string[] = []
        redactedJson(text, (one) => (given.push(one), one))
        JSON.parse(text, (_key, one: unknown) => typeof one === 'string' && values.push(one))
        expect(given).toEqual([...values, text])
      }),
    )
  })

  it('returns the same string if there is nothing to redact', () => {
    const text = '{"b":1.50, "a":"x"}'
    expect(redactedJson(text, greedy)).toBe(text)
  })

  it('returns nothing if no valid JSON is left', () => {
    expect(redactedJson(json({ secret: 'x' }), () => 'gone')).toBeUndefined()
  })
})

describe('redactContent', () => {
  const redact = redactOf({})

  it('redacts text, JSON, documents, links, names and unknown parts', async () => {
    const content: ContentBlock[] = [
      { type: 'text', text: `key ${SECRET}`, name: `of ${SECRET}` },
      { type: 'json', value: { user: 'ann', password: 'hunter2', n: 1.5, deep: [{ text: `x ${SECRET}` }] } },
      { type: 'document', mediaType: 'text/csv', data: new TextEncoder().encode(`a,b\n1,${SECRET}`) },
      { type: 'link', url: 'https://me:hunter2@example.org/x' },
      { type: 'unknown', value: { type: 'thing', url: SECRET } },
    ]
    const redacted = await redactContent(content, redact)
    expect(redacted).toMatchObject([
      { text: 'key [redacted:secret]', name: 'of [redacted:secret]' },
      { value: { user: 'ann', password: '[redacted:secret]', n: 1.5, deep: [{ text: 'x [redacted:secret]' }] } },
      { data: new TextEncoder().encode('a,b\n1,[redacted:secret]') },
      { url: 'https://me:[redacted:secret]@example.org/x' },
      { value: { type: 'thing', url: '[redacted:secret]' } },
    ])
    expect(await redactContent(redacted, redact)).toBe(redacted)
  })

  it('fails for an object that cannot be written as JSON, because the object may have secrets', async () => {
    const cyclic: Record<string, unknown> = { secret: SECRET }
    cyclic['self'] = cyclic
    const throwing = {
      secret: SECRET,
      get more(): never {
        throw new Error('no')
      },
    }
    for (const type of ['json', 'unknown'] as const)
      for (const value of [cyclic, throwing, { secret: SECRET, id: 5n }])
        await expect(redactContent([{ type, value }], redactOf({}))).rejects.toThrow('cannot be written as JSON')
    const content = [undefined, 5n, Symbol('a'), () => SECRET].map((value) => ({ type: 'json', value }) as const)
    expect(await redactContent(content, redactOf({}))).toBe(content)
  })

  it('returns the same blocks if there is nothing to redact', async () => {
    const content: ContentBlock[] = [
      { type: 'text', text: 'max_tokens: 2500' },
      { type: 'json', value: { a: 1 } },
    ]
    expect(await redactContent(content, redact)).toBe(content)
  })
})

describe('text redacted in chunks', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow+/aB9=\n'.repeat(120)}-----END RSA PRIVATE KEY-----`

  it('equals the redaction of the whole text, for any chunks', () => {
    const redact = redactOf({ rules: ['secrets', 'emails'] })
    const line = fc.constantFrom(
      'all is well',
      `token ${SECRET} here`,
      key,
      'password = "hunter2"',
      'me@example.org',
      '',
    )
    const inPieces = fc.property(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9_000 }),
      (lines, size) => {
        const text = lines.join('\n')
        const arriving = new ArrivingRedaction(redact)
        let left = ''
        for (let at = 0; at < text.length; at += size) left += arriving.push(text.slice(at, at + size))
        expect(left + arriving.finish()).toBe(redact(text))
      },
    )
    fc.assert(inPieces)
  })

  it('may be one line of many megabytes', () => {
    const arriving = new ArrivingRedaction(redactOf({}))
    const piece = `{"id":7,"key":"${SECRET}"},`.repeat(5_000)
    const left = Array.from({ length: 20 }, () => arriving.push(piece)).join('') + arriving.finish()
    expect(left).toBe('{"id":7,"key":"[redacted:secret]"},'.repeat(100_000))
  })

  it('is UTF-8 after bytes were redacted', async () => {
    const bytes = new TextEncoder().encode(`é ${SECRET}\n`.repeat(2_000))
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += 1_001) yield bytes.subarray(at, at + 1_001)
    }
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    let left = ''
    for await (const chunk of redactChunks(chunks(), decoder, redactOf({}))) left += new TextDecoder().decode(chunk)
    expect(left).toBe('é [redacted:secret]\n'.repeat(2_000))
  })
})
