import { chunkedSource } from '@spillway-internal/test-inputs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonPathsAt } from './json-paths-at.ts'

/** Reference implementation: the paths of all bytes, for values without escapes and blanks. */
function pathsByHand(text: string): string[] {
  const paths: string[] = []
  let at = 0
  const put = (path: string, count: number): void => {
    for (let index = 0; index < count; index++) paths[at++] = path
  }
  const readValue = (path: string): void => {
    if (text[at] === '{') {
      put(path, 1)
      for (let index = 0; text[at] !== '}'; index++) {
        if (index > 0) put(path, 1)
        const end = text.indexOf('"', at + 1) + 1
        const key = text.slice(at + 1, end - 1)
        const inner = /^[a-z]+$/.test(key) ? `${path}.${key}` : `${path}['${key}']`
        put(inner, end - at + 1)
        readValue(inner)
      }
      put(path, 1)
    } else if (text[at] === '[') {
      put(path, 1)
      for (let index = 0; text[at] !== ']'; index++) {
        if (index > 0) put(path, 1)
        readValue(`${path}[${index}]`)
      }
      put(path, 1)
    } else put(path, /^(?:"[^"]*"|[^,\]}]+)/.exec(text.slice(at))![0].length)
  }
  readValue('$')
  return paths
}

const arbitraryText = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom(null, true, false, 0, -1, 12.5, 1e21, '', 'text', 'a b', 'x'.repeat(70)),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'long', 'two words', ''), tie('value')),
    ),
  }))
  .value.map((value) => JSON.stringify(value))

async function jsonPathAt(source: Parameters<typeof jsonPathsAt>[0], byteOffset: number): Promise<string | undefined> {
  const [path] = await jsonPathsAt(source, [byteOffset])
  return path
}

describe('the path of a byte', () => {
  test('belongs to the innermost value or member, for every byte and any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryText, fc.integer({ min: 1, max: 40 }), async (text, chunkBytes) => {
        const offsets = Array.from({ length: text.length }, (_, index) => index)
        const paths = await jsonPathsAt(chunkedSource(text, { chunkBytes }), offsets)
        expect(paths).toEqual(pathsByHand(text))
      }),
    )
  })

  test('is returned in the order of the offsets, and is undefined after the end', async () => {
    const source = chunkedSource('{"a":[10,20],"b":"text"}')
    expect(await jsonPathsAt(source, [20, 6, 200, 9, 6])).toEqual(['$.b', '$.a[0]', undefined, '$.a[1]', '$.a[0]'])
    expect(await jsonPathsAt(source, [])).toEqual([])
  })

  test('is written as a valid JSON path', async () => {
    const text = String.raw`{"it's \"so\"\n":{"é":{"a\\b":[true]}}}`
    const source = chunkedSource(text, { chunkBytes: 3 })
    const offset = new TextEncoder().encode(text.slice(0, text.indexOf('true'))).length
    expect(await jsonPathAt(source, offset)).toBe(String.raw`$['it\'s "so"\n']['é']['a\\b'][0]`)
  })

  test.each(['plain text', '{"a":1,}', '[1 2]', '{"a" 1}', '[01]', '[nul]', '{a:1}', '[1]x', '{"a":1]', '[-]'])(
    'is undefined if the content before the byte is not JSON: %s',
    async (text) => {
      expect(await jsonPathAt(chunkedSource(text), text.length)).toBeUndefined()
      expect(await jsonPathAt(chunkedSource(`${text} `), text.length)).toBeUndefined()
    },
  )

  test('is found for every byte before the content stops being JSON', async () => {
    expect(await jsonPathAt(chunkedSource('{"log":["one","two'), 16)).toBe('$.log[1]')
  })

  test('counts the lines of JSON Lines, and does not count a byte order mark', async () => {
    const lines = '\uFEFF{"a":1}\n{"a":{"b":2}}\r\n\n{"a":3}\n'
    const source = chunkedSource(lines, { chunkBytes: 4 })
    expect(await jsonPathAt(source, 3 + lines.indexOf('2}') - 1)).toBe('$[1].a.b')
    expect(await jsonPathAt(source, 3 + lines.indexOf('3}') - 1)).toBe('$[2].a')
    const single = chunkedSource('{"a":1}\n', { contentType: 'application/x-ndjson' })
    expect(await jsonPathAt(single, 5)).toBe('$[0].a')
  })

  test('is found in strings of any length with any escapes', async () => {
    const value = String.raw`\\\"`.repeat(10_000) + 'x'.repeat(70_000) + String.raw`\\`
    const text = `{"a":"${value}","b":["${value}",1]}`
    const targets = [50_000, text.indexOf('"b"') + 50_000, text.length - 3]
    for (const chunkBytes of [7, 4_096, 1_000_000]) {
      const paths = await jsonPathsAt(chunkedSource(text, { chunkBytes }), targets)
      expect(paths).toEqual(['$.a', '$.b[0]', '$.b[1]'])
    }
  })

  test('is the path of an outer value if the path is too long', async () => {
    const key = 'k'.repeat(400)
    const text = `{"${key}":{"${key}":{"${key}":1}}}`
    expect(await jsonPathAt(chunkedSource(text), text.length - 4)).toBe(`$.${key}.${key}`)
    const huge = `{"a":{"${'k'.repeat(100_000)}":[1]}}`
    expect(await jsonPathAt(chunkedSource(huge, { chunkBytes: 1_000 }), huge.length - 4)).toBe('$.a')
  })

  test('is found at 100,000 levels, but not at millions', async () => {
    const text = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
    expect(await jsonPathAt(chunkedSource(text), 100_000)).toMatch(/^\$(?:\[0\]){333}$/)
    expect(await jsonPathAt(chunkedSource(text), text.length - 1)).toBe('$')
    expect(await jsonPathAt(chunkedSource('['.repeat(1_000_000)), 999_999)).toBeUndefined()
  })
})
