import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adoptStorage } from '../../content/adopt-storage.ts'
import { countTokens, withoutFences } from '../../../test/retrieval-fixture.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import { writeAnswer } from '../write-answer.ts'
import { answerJsonPath, compactJson, type JsonPathRequest } from './answer-json-path.ts'

const MANY = {
  total: 800,
  items: Array.from({ length: 800 }, (_, id) => ({ id, name: `name ${id}`, tags: ['a', 'b'] })),
}

interface Asked extends Partial<JsonPathRequest> {
  readonly contentType?: string
  readonly maxTokens?: number
  readonly deadlineMs?: number
}

async function ask(content: unknown, path: string, asked: Asked = {}): Promise<string> {
  const { contentType = 'application/json', maxTokens = 2_500, deadlineMs = 60_000, ...request } = asked
  const text = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const context: RetrievalContext = {
    storage: adoptStorage({
      store: async (key) => key,
      retrieve: async () => ({ content: bytes.slice(), contentType }),
      retrieveRange: async (_, { offset, length }) => {
        return { content: bytes.slice(offset, offset + length), contentType, size: bytes.length }
      },
    }),
    scoped: false,
    maxMediaBytes: 1,
    deadlineMs,
    blockBytes: 1_048_576,
    signal: undefined,
    pause: async (waiting) => await waiting,
    maxTokens,
    countTokens,
    formatCall: (call) => JSON.stringify(call),
  }
  const defaults = { mode: 'json-path', reference: 'r', after: 0, countOnly: false } as const
  const { text: answer } = writeAnswer(await answerJsonPath({ ...defaults, path, ...request }, context), context)
  return withoutFences(answer)
}

describe('an answer to a JSON path', () => {
  test("has the number of results and each result's path", async () => {
    const content = { items: [{ name: 'Ann' }, { 'full name': 'Ben', name: 'B' }] }
    expect(await ask(content, '$.items[*].name')).toBe('[2 results]\n\n$.items[0].name: "Ann"\n$.items[1].name: "B"')
    expect(await ask(content, "$..['full name']")).toBe('[1 result]\n\n$.items[1][\'full name\']: "Ben"')
  })

  test('keeps numbers exactly, beyond the precision of a double', async () => {
    const text = '{"id":12345678901234567890,"price":1.10,"small":1e-400}'
    expect(await ask(text, '$.*')).toContain('$.id: 12345678901234567890\n$.price: 1.10\n$.small: 1e-400')
    expect(await ask(text, '$')).toContain('{"id": 12345678901234567890, "price": 1.10, "small": 1e-400}')
  })

  test('is on one line, even if it is long', async () => {
    const value = { first: 'x'.repeat(80), second: [1, { deep: 'y'.repeat(80) }], empty: {}, none: [] }
    const answer = await ask({ value }, '$.value')
    expect(answer).toMatch(
      /^\[1 result\]\n\n\$\.value: \{"first": "x+", "second": \[1, \{"deep": "y+"\}\], "empty": \{\}, "none": \[\]\}$/,
    )
  })

  test('has only the count if the call requests it', async () => {
    expect(await ask(MANY, '$.items[*]', { countOnly: true })).toBe('[800 results]')
    expect(await ask(MANY, '$.items[?@.id >= 790]', { countOnly: true })).toBe('[10 results]')
  })

  test('accepts a path without its leading $', async () => {
    expect(await ask(MANY, 'items[7].name')).toBe('[1 result]\n\n$.items[7].name: "name 7"')
    expect(await ask(MANY, ' .total ')).toBe('[1 result]\n\n$.total: 800')
  })

  test('shows results up to a limit, with the call that continues', async () => {
    expect(await ask(MANY, '$.items[*].id', { after: 4, maxTokens: 80 })).toMatch(
      /^\[800 results\]\n\n\$\.items\[4\]\.id: 4\n[^]*\[Shown: results 5-(\d+) of 800\. To continue: \{"reference":"r","json_path":"\$\.items\[\*\]\.id","after":\1\}\]$/,
    )
    expect(await ask(MANY, '$.items[*].id', { after: 900 })).toBe('[800 results: none is left after the first 900]')
  })

  test('continues until every result was shown whole and once, with any limit of tokens', async () => {
    const arbitraryItems = fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant({ a: ['text', null], b: true })), {
      minLength: 1,
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(arbitraryItems, fc.integer({ min: 120, max: 400 }), async (items, maxTokens) => {
        const shown: string[] = []
        let after: number | undefined = 0
        while (after !== undefined) {
          const answer = await ask(items, '$[*]', { after, maxTokens })
          expect(countTokens(answer)).toBeLessThanOrEqual(maxTokens)
          shown.push(...answer.split('\n').filter((line) => /^\$\[\d+\]: /.test(line)))
          const next = /"after":(\d+)/.exec(answer)?.[1]
          expect(next === undefined || Number(next) > after).toBe(true)
          after = next === undefined ? undefined : Number(next)
        }
        expect(shown.map((line) => JSON.parse(line.slice(line.indexOf(': ') + 2)) as unknown)).toEqual(items)
      }),
      propertyRuns(20, 600),
    )
  })

  test('cuts a value that does not fit, and names its kind, its size and the path of a part of it', async () => {
    const answer = await ask(MANY, '$.items', { maxTokens: 200 })
    expect(answer).toMatch(
      /^\[1 result\]\n\n\$\.items \(an array of 800; the first item is an object with the keys "id", "name", "tags"; [\d,]+ bytes\): \[\{"id": 0, /,
    )
    expect(answer).toMatch(
      /… \[cut\]\n\[To see a part of it: \{"reference":"r","json_path":"\$\.items\[0:10\]"\}\]\n\n\[Cut\. To continue: \{"reference":"r","byte_range":\{"start":\d+,"end":36602\}\}\]$/,
    )
    expect(countTokens(answer)).toBeLessThanOrEqual(200)
    const several = await ask({ a: 'x'.repeat(9_000), b: 1, c: 'y'.repeat(9_000) }, '$.*', { maxTokens: 300 })
    expect(several).toMatch(/\$\.a \(a string; 9,002 bytes\): "x+ … \[cut\]\n\n\[Cut\. The rest of it: /)
    expect(several).toMatch(/\[Shown: results 1-1 of 3\. To continue: .*"after":1\}\]$/)
  })

  test('continues with calls that show each part of a cut value once', async () => {
    const text = fc.constantFrom('word ', 'é', '😀', '"', '\\', '\u007f', '\n', 'x')
    const value = fc.oneof(
      fc.tuple(text, fc.integer({ min: 1, max: 3_000 })).map(([part, times]) => part.repeat(times)),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 6 }),
        fc.integer({ min: 150, max: 900 }),
        async (values, maxTokens) => {
          const content = JSON.stringify(values)
          const shown: unknown[] = []
          let calls = 0
          for (let after: number | undefined = 0; after !== undefined; calls++) {
            const answer = await ask(content, '$[*]', { maxTokens, after })
            expect(countTokens(answer)).toBeLessThanOrEqual(maxTokens)
            const [body = '', ...notes] = answer.split('\n\n').slice(1)
            const next = /"byte_range":\{"start":(\d+),"end":(\d+)\}/.exec(notes.join())
            if (next === null) {
              for (const result of body.split(/\n(?=\$\[\d+\])/)) {
                if (result !== '' && !result.startsWith('[$'))
                  shown.push(JSON.parse(result.slice(result.indexOf(':') + 1)))
              }
            } else {
              const beginning = /^\$\[\d+\] \([^]*?bytes\): ([^]*) … \[cut\](?:\n\[To see a part of it: .*\])?$/.exec(
                body,
              )![1]!
              const bytes = new TextEncoder().encode(content).subarray(Number(next[1]) - 1, Number(next[2]))
              shown.push(JSON.parse(beginning + new TextDecoder().decode(bytes)))
            }
            const more = /"after":(\d+)/.exec(notes.join())?.[1]
            after = more === undefined ? undefined : Number(more)
          }
          expect(shown).toEqual(JSON.parse(content))
          expect(calls).toBeLessThanOrEqual(values.length + 1)
        },
      ),
      propertyRuns(40, 1_500),
    )
  })

  test('never has more tokens than its limit', async () => {
    for (const maxTokens of [1, 5, 20, 60, 100]) {
      for (const path of ['$.items[*].name', '$', '$.items', '$.items[3]']) {
        expect(countTokens(await ask(MANY, path, { maxTokens }))).toBeLessThanOrEqual(maxTokens)
      }
    }
  })
})

describe('an answer to a JSON path without results', () => {
  test.each([
    ['$.item', '$ is an object of 2 keys: "total", "items". It has no key "item", but "items".'],
    ['$.items[*].nme', '$.items[0] is an object of 3 keys: "id", "name", "tags". It has no key "nme", but "name".'],
    ['$.items[0].size', '$.items[0] is an object of 3 keys: "id", "name", "tags". It has no key "size".'],
    ['$.items[900]', '$.items is an array of 800; the first item is an object with the keys "id", "name", "tags".'],
    ['$.items.name', 'The items of an array are selected by [0], [*] or a filter, and then .name.'],
    ['$.items[?@.id > 900]', 'Nothing directly in it passes the filter.'],
    ['$..size', '$ is an object of 2 keys: "total", "items". Nothing within it has the key "size".'],
    ['$.total.value', '$.total is a number. It has no key "value".'],
    ["$.items[?@.id == '7']", 'passes the filter. A number in quotes never equals a number.'],
    [
      '$.items[0].name.x',
      'It has no key "x". With json_path $, sql reads JSON inside a text: SELECT value FROM t, json_each(',
    ],
  ])('says which part of the path %s exists, and what it selects', async (path, reason) => {
    const answer = await ask(MANY, path)
    expect(answer).toContain(`[0 results for ${path}]\n`)
    expect(answer).toContain(reason)
  })

  test('names other places of a missing key', async () => {
    const content = { head: 1, body: { parts: [{ other: 1 }, { state: 'failed' }] } }
    const answer = await ask(content, '$.body.state')
    expect(answer).toContain('$.body is an object of 1 key: "parts". It has no key "state".')
    expect(answer).toContain('[This key exists elsewhere: {"reference":"r","json_path":"$.body.parts[1].state"}]')
  })

  test('has a call that works', async () => {
    const answer = await ask(MANY, '$.items[*].nme')
    const call = /\[For example: (.*)\]$/.exec(answer)?.[1]
    const { json_path: path } = JSON.parse(call ?? '') as { json_path: string }
    expect(await ask(MANY, path)).toMatch(/^\[1 result\]/)
  })
})

describe('a JSON path', () => {
  test('reads content of any type as JSON, even after a byte order mark', async () => {
    expect(await ask('\uFEFF {"a": [true]}', '$.a[0]', { contentType: 'text/plain' })).toContain('$.a[0]: true')
  })

  test('reads JSON Lines line by line, and the answer says so', async () => {
    const lines = '{"level":"info"}\n{"level":"error","code":7}\n'
    const answer = await ask(lines, "$[?@.level == 'error']", { contentType: 'text/plain' })
    expect(answer).toContain('$[1]: {"level": "error", "code": 7}')
    expect(answer).toContain('[This content is JSON Lines: $[0] is its first value')
    expect(await ask(lines, '$.level')).toContain(
      '$ is an array of 2; the first item is an object with the key "level".',
    )
  })

  test('finds JSON after and between other lines, and the answer says how many lines were skipped', async () => {
    const records = Array.from({ length: 9 }, (_, id) => `{"id":${id},"level":"info","ok":${id !== 5}}`)
    const lines = `up\n${records.join('\n[INFO] next\n')}\nexit status 1\n`
    const answer = await ask(lines, '$[?@.ok == false].id', { contentType: 'text/plain' })
    expect(answer).toContain('$[5].id: 5')
    expect(answer).toContain('[9 lines are not whole JSON, and searched only up to the first error.]')
    const document = `npm warn using --force\n${JSON.stringify({ items: records.map((one) => JSON.parse(one) as unknown) }, null, 2)}`
    for (const contentType of ['text/plain', 'application/json'])
      expect(await ask(document, '$.items[5].ok', { contentType })).toContain('$.items[5].ok: false')
  })

  test('says that values that a filter must test are not JSON, for example values of Python', async () => {
    const answer = await ask(`[{'id': 1}, {'id': 2}]`, '$[?@.id == 2]', { contentType: 'text/plain' })
    expect(answer).toContain('[Some tested values are not JSON, the first at byte 2: search them by a pattern.]')
  })

  test('is refused for a log that is declared as JSON Lines', async () => {
    await expect(ask('started\n[INFO] x\nup', '$[0]', { contentType: 'application/x-ndjson' })).rejects.toMatchObject({
      code: 'not-json',
    })
  })

  test('is refused for content that is not JSON, with the call to make instead', async () => {
    await expect(ask('2026-01-01 started\n', '$.a', { contentType: 'text/plain' })).rejects.toMatchObject({
      code: 'not-json',
      message: expect.stringContaining('(text/plain, 19 bytes) is no') as string,
      call: { reference: 'r', line_range: { start: 1, end: 50 } },
    })
    for (const [content, path] of [
      ['', '$'],
      ['2026-01-01 started\n', '$'],
      ['true story\n', '$..*'],
    ] as const)
      await expect(ask(content, path)).rejects.toMatchObject({ code: 'not-json' })
    expect(await ask('2026\n', '$')).toContain('$: 2026')
    await expect(ask(new Uint8Array([1, 2, 3]), '$', { contentType: 'image/png' })).rejects.toMatchObject({
      code: 'not-text',
    })
    await expect(ask('{"a":1', '$.b')).rejects.toMatchObject({
      code: 'not-json',
      message: expect.stringContaining('breaks off at the end') as string,
    })
    await expect(ask('[1,2]]', '$[7]')).rejects.toMatchObject({
      code: 'not-json',
      message: expect.stringContaining('stops being JSON at byte 6') as string,
    })
  })

  test('selects values before the first JSON error', async () => {
    expect(await ask('{"a":[1,2,', '$.a[*]')).toBe(
      '[2 results]\n[The JSON breaks off at the end of the content.]\n\n$.a[0]: 1\n$.a[1]: 2',
    )
    expect(await ask('{"a":[{"b":1},{"b":2},{"b":"x', '$.a[-2:].b')).toBe(
      '[1 result]\n[The JSON breaks off at the end of the content.]\n\n$.a[1].b: 2',
    )
  })

  test('compares long integers exactly', async () => {
    const ids = '[{"id":12345678901234567890},{"id":12345678901234567891},{"id":7}]'
    expect(await ask(ids, '$[?@.id == 12345678901234567891].id')).toContain(
      '[1 result]\n\n$[1].id: 12345678901234567891',
    )
    expect(await ask(ids, '$[?@.id > 12345678901234567890].id')).toContain('[1 result]')
    expect(await ask(ids, '$[?@.id <= 12345678901234567890].id')).toContain('[2 results]')
    expect(await ask(ids, '$[?@.id < 7.5].id')).toContain('$[2].id: 7')
  })

  test('accepts invalid UTF-8, and line ends within strings', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"a":"x'), 0xff, 10, ...new TextEncoder().encode('y"}')])
    expect(await ask(bytes, '$.a')).toContain('$.a: "x\uFFFD\\u000ay"')
  })
})

describe('a path in the syntax of other tools', () => {
  const json = '{"a":{"b":[{"c-d":1,"c.d":"x"},{"c-d":2.5}]},"n":null,"f":false,"o":{"0":{"@t":1,"x/y":2,"/u/{id}":3}}}'

  test.each([
    ['.a.b[]["c-d"]', "$.a.b[*]['c-d']", 2],
    ['.a.b[0]."c-d"', "$.a.b[0]['c-d']", 1],
    ["$.a.b.0.'c.d'", "$.a.b[0]['c.d']", 1],
    ['a.b.1', '$.a.b[1]', 1],
    ['.a.b.[1]', '$.a.b[1]', 1],
    ['{.a.b[*]}', '$.a.b[*]', 2],
    ['.', '$', 1],
    ['$.o.0.@t', "$.o['0']['@t']", 1],
    ['$..@t', "$..['@t']", 1],
    ['/a/b/1/c-d', "$.a.b[1]['c-d']", 1],
    ['o.0.x/y', "$.o['0']['x/y']", 1],
    ['$.o["0"]./u/{id}', "$.o['0']['/u/{id}']", 1],
    [".a.b[?@['c-d'] > 1.5].c-d", "$.a.b[?@['c-d'] > 1.5]['c-d']", 1],
  ])('is read as JSONPath: %s', async (path, meant, count) => {
    const text = await ask(json, path)
    expect(text).toBe(await ask(json, meant))
    expect(text).toContain(count === 1 ? '[1 result]' : `[${count} results]`)
  })

  test('gets a note if a filter tests only that a key exists', async () => {
    const note = 'tests only that the key exists, even for false or null'
    for (const path of ['$[?@.f]', '$[?!@.f]', '$[?(@.b && @.b.c == 1)]']) expect(await ask(json, path)).toContain(note)
    for (const path of ['$.a.b[?@["c-d"] == 1]', '$[?length(@) > 1]', '$.a', '$[?@.b[?@["c-d"] > 2]]'])
      expect(await ask(json, path)).not.toContain(note)
  })
})

describe('a hostile JSON path', () => {
  test.each([
    ['$.items[?@.id=1]', 14],
    ['$.items[', 9],
    ['$[?foo(@) == 1]', 4],
    ["$[?search(@.a, '(')]", 4],
    ['(((', 3],
    ['items | length', 9],
    [`$${'['.repeat(1_500)}`, undefined],
    [`$[?${'!('.repeat(900)}@.a${')'.repeat(900)}`, undefined],
    ['$.a'.repeat(3_000), undefined],
  ])(
    'is refused if it is invalid, with the position of the fault and a path that works: %#',
    async (path, character) => {
      const refused = ask(MANY, path)
      await expect(refused).rejects.toMatchObject({
        code: 'invalid-json-path',
        stored: { call: { reference: 'r', json_path: '$.total' } },
      })
      if (character !== undefined)
        await expect(refused).rejects.toThrow(new RegExp(`character ${character}\\b|at its end`))
    },
  )

  test('is refused with a fault at its end if it is cut off', async () => {
    await expect(ask(MANY, '$.items[')).rejects.toThrow(/, at its end\. /)
    await expect(ask(MANY, '$.items[?@.id=1]')).rejects.toThrow(/, at "=1\]", character 14\. /)
  })

  test('stops at its deadline', async () => {
    const deep = `${'['.repeat(150)}1${']'.repeat(150)}`
    await expect(ask(deep, '$..[?@..[?@..[?@..[?@..a]]]]', { deadlineMs: 50 })).rejects.toMatchObject({
      code: 'pattern-timeout',
    })
    const expression = `$[?search(@, '(a+)+b')]`
    expect(await ask([`${'a'.repeat(50_000)}`], expression)).toContain('[0 results')
  })

  test('with a filter at any depth looks at a limited number of levels', async () => {
    const deep = `${'['.repeat(3_000)}1${']'.repeat(3_000)}`
    await expect(ask(deep, '$..[?@.a]')).rejects.toMatchObject({ code: 'too-large' })
    expect(await ask(deep, '$..*..*', { countOnly: true })).toBe('[2,999 results]')
  })

  test('is refused if it tests a large value, with a path that works', async () => {
    const large = JSON.stringify({ pages: [{ text: 'x'.repeat(17 * 1_048_576) }] })
    await expect(ask(large, '$.pages[?@.text]')).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('16,777,216 bytes') as string,
      stored: { call: { json_path: '$.pages' } },
    })
    expect(await ask(large, '$.pages[*].text', { maxTokens: 200 })).toMatch(
      /\$\.pages\[0\]\.text \(a string; [\d,]+ bytes\)/,
    )
  })

  test('selects very many, very deep and very long values', async () => {
    const deep = `${'{"key":['.repeat(50_000)}1${']}'.repeat(50_000)}`
    const answer = await ask(deep, '$..key', { maxTokens: 4_000 })
    expect(answer).toContain('[50,000 results]')
    expect(answer).toMatch(/…: \[1\]\n[^]*\[Shown: results 1-\d+ of 50,000\. To continue: /)
    const wide = JSON.stringify(Array.from({ length: 60_000 }, (_, id) => ({ id })))
    expect(await ask(wide, '$..id', { after: 58_000 })).toContain('$[58000].id: 58000\n$[58001].id: 58001\n')
    expect(await ask(wide, '$[-9:]..id', { after: 5 })).toContain('$[59996].id: 59996\n')
    const long = JSON.stringify({ ['k'.repeat(70_000)]: { inner: 'v'.repeat(20_000) }, b: 1 })
    const cut = await ask(long, '$.*.*', { maxTokens: 600 })
    expect(cut).toMatch(/\$\.k{900,}… \(a string; 20,002 bytes\): "v+/)
    expect(cut).toMatch(/\[Cut\. To continue: \{"reference":"r","byte_range":\{"start":\d+,"end":90015\}\}\]$/)
  })

  test('cannot reach inherited properties of objects', async () => {
    for (const name of ['__proto__', 'constructor', 'length', 'toString']) {
      expect(await ask({ a: 1 }, `$.${name}`)).toContain('[0 results')
    }
    expect(await ask('{"__proto__":{"x":1}}', '$.__proto__.x')).toContain('$.__proto__.x: 1')
  })
})

describe('a value written on one line', () => {
  test('is still the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value, null, 2)
        const { text, isCut } = compactJson(json, Infinity)
        expect(isCut).toBe(false)
        expect(text).not.toContain('\n')
        expect(JSON.parse(text)).toEqual(JSON.parse(json))
      }),
    )
  })

  test('has numbers and strings as written in the content', () => {
    const json = '{ "a" : 1.50e+3,"b":[ ] ,"c":{},"d":"\\u0041 \\" , { "}'
    expect(compactJson(json, Infinity).text).toBe('{"a": 1.50e+3, "b": [], "c": {}, "d": "\\u0041 \\" , { "}')
  })

  test('keeps the spaces in strings and words of values that are not JSON', () => {
    const python = `{'a b': 'c,  d', "e": True or  None}`
    expect(compactJson(python.replaceAll(', "e"', ',"e"'), Infinity).text).toBe(python)
  })

  test('is cut if it is longer than one line may be', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 50 }), (value, maxUnits) => {
        const json = JSON.stringify(value)
        const { text, isCut } = compactJson(json, maxUnits)
        expect(text.length).toBeLessThanOrEqual(maxUnits)
        if (!isCut) return
        expect(text).not.toContain('\n')
        expect(
          compactJson(json, Infinity)
            .text.toWellFormed()
            .startsWith(text.replace(/\uFFFD$/, '')),
        ).toBe(true)
      }),
    )
  })

  test('does not contain the line ends of its strings', () => {
    expect(compactJson('"a\nb\u2028\u0085c"', Infinity).text).toBe(String.raw`"a\u000ab\u2028\u0085c"`)
  })
})
