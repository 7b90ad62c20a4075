import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { readOutput } from './read-output.ts'

const cycle: unknown[] = []
cycle.push(cycle)

describe('readOutput', () => {
  it.each<[unknown, string]>([
    ['a text', 'a text'],
    ['', ''],
    ['{"a":1}', '{"a":1}'],
    [{ type: 'text', text: 'a part' }, 'a part'],
    [undefined, 'undefined'],
    [null, 'null'],
    [0, '0'],
    [10n, '10'],
    [false, 'false'],
  ])('reads %o as text', (output, text) => {
    expect(readOutput(output)).toEqual({ text, block: { type: 'text', text } })
  })

  it.each<[unknown, unknown]>([
    [{ a: [1, 'two', null] }, { a: [1, 'two', null] }],
    [[], []],
    [{ when: new Date(0), missing: undefined }, { when: '1970-01-01T00:00:00.000Z' }],
    [{ toJSON: () => 'a' }, 'a'],
    [{ type: 'text' }, { type: 'text' }],
    [
      { type: 'text', text: 7 },
      { type: 'text', text: 7 },
    ],
    [
      [{ type: 'file', name: 'a' }, { type: 'file' }],
      [{ type: 'file', name: 'a' }, { type: 'file' }],
    ],
  ])('reads %j as a value', (output, value) => {
    const { text, block } = readOutput(output) ?? expect.fail('It is taken for parts.')
    expect(text).toBe(JSON.stringify(value))
    expect(block.type === 'json' && JSON.stringify(block.value)).toBe(text)
  })

  it.each<[string, unknown]>([
    ['bytes', new Uint8Array(1_000_000)],
    ['a buffer', Buffer.alloc(1_000_000)],
    ['bytes in a value', { data: new Uint8Array(1_000_000).buffer }],
    ['a buffer in a value', { data: Buffer.alloc(100_000) }],
    ['a cycle', cycle],
    [
      'a value that throws',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
    ],
    ['a BigInt in a value', { n: 1n }],
  ])('shows %s in a few words, as the SDK does', (what, output) => {
    const read = readOutput(output)
    expect(read?.text.length).toBeLessThan(400)
    const value = read?.block.type === 'json' ? read.block.value : undefined
    if (/bytes|buffer/.test(what)) expect(JSON.stringify(value).length).toBeLessThan(500)
  })

  it.each<[unknown]>([
    [{ type: 'image', image: 'https://example.com/a.png' }],
    [{ type: 'file', file: { id: 'file_1' } }],
    [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
    [{ type: 'file', fileId: 'file_1' }],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [[{ type: 'text', text: 'a' }]],
    [{ type: 'text', text: 'a', providerData: { a: 1 } }],
  ])('leaves parts: %j', (output) => {
    expect(readOutput(output)).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['a text', 'a line of a log\n'.repeat(3_000_000)],
    ['a list of texts', ['a line of a log\n'.repeat(3_000_000)]],
    ['bytes', new Uint8Array(48_000_000)],
    ['a part of text', { type: 'text', text: 'a line of a log\n'.repeat(3_000_000) }],
  ])('does not look at each character of %s of 48 MB', (_what, output) => {
    const start = performance.now()
    JSON.stringify(typeof output === 'string' ? output : (Object(output).text ?? (output as unknown[])[0]))
    const once = performance.now() - start
    const startReading = performance.now()
    readOutput(output)
    expect(performance.now() - startReading).toBeLessThan(10 * once + 1_000)
  })
})
