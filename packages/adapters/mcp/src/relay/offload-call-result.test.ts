import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import { OFFLOADED_KEY, parseExactJson } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { isEqual, isSameJson, offloadCallError, offloadCallResult } from './offload-call-result.ts'

const LOG = Array.from({ length: 2_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')
const ROWS = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `row ${id}` }))
const REPLACED = { type: 'text', text: expect.stringMatching(/^\[Offloaded: /) as string }

const text = (value: string): object => ({ type: 'text', text: value })

interface Shown {
  readonly content: readonly Record<string, unknown>[]
  readonly structuredContent?: unknown
  readonly _meta?: Record<string, { stored: { reference: string; contentType: string }[] }>
}

/** Offload a result, and return the shown result and the stored content. */
async function offload(
  result: unknown,
  { signal, ...options }: { signal?: AbortSignal } & Partial<ContextOffloaderOptions> = {},
): Promise<{ readonly shown: Shown; readonly stored: readonly string[]; readonly events: readonly OffloadEvent[] }> {
  const events: OffloadEvent[] = []
  const storage = new InMemoryStorage()
  const offloader = new ContextOffloader({ storage, ...options, onEvent: (event) => void events.push(event) })
  const shown = (await offloadCallResult(offloader, {
    toolName: 'read',
    input: { a: 1 },
    result,
    signal,
  })) as Shown
  const stored: string[] = []
  for await (const { reference } of storage.list())
    stored.push(new TextDecoder().decode((await storage.retrieve(reference)).content))
  return { shown, stored, events }
}

describe('offloadCallResult', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a value that is not a result', 'text'],
    ['a task', { task: { taskId: '1' } }],
    ['a request for input', { resultType: 'input_required', inputRequests: {} }],
    ['no parts', { content: [] }],
    ['small parts', { content: [text('small'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }] }],
    ['invalid parts', { content: [null, 7, 'text', {}, { type: 'new', text: 7 }] }],
    ['small structured content', { content: [], structuredContent: { rows: ROWS.slice(0, 3) } }],
    ['content that is not an array', { content: 'all is well' }],
    ['a task with other fields', { task: { taskId: '1', statusMessage: 'a'.repeat(600) } }],
  ])('returns the same result for %s', async (_name, result) => {
    const { shown, stored, events } = await offload(result)
    expect(shown).toBe(result)
    expect([stored, events]).toEqual([[], []])
  })

  it('replaces a large text by a preview, and keeps the other parts and fields', async () => {
    const [small, picture] = [text('small'), { type: 'image', data: 'aGk=', mimeType: 'image/png', annotations: {} }]
    const result = { content: [small, text(LOG), picture], isError: true, other: { a: 1 }, _meta: { a: 1 } }
    const { shown, stored } = await offload(result)
    expect(shown).toMatchObject({ content: [REPLACED, small, picture], isError: true, other: { a: 1 } })
    expect(shown.content[1]).toBe(small)
    expect(shown.content[2]).toBe(picture)
    expect(stored).toEqual([LOG])
    expect(shown._meta).toMatchObject({ a: 1, [OFFLOADED_KEY]: { stored: [{ type: 'text', size: LOG.length }] } })
  })

  it('passes the call and its error state to the offloader', async () => {
    const told: unknown[] = []
    const shouldOffload = (call: unknown): boolean => told.push(call) < 0
    await offload({ content: [text(LOG)] }, { shouldOffload })
    await offload({ content: [text(LOG)], isError: true }, { shouldOffload })
    const call = { toolName: 'read', toolCallId: 'read', input: { a: 1 }, tokens: expect.any(Number) as number }
    expect(told).toEqual([
      { ...call, isError: false },
      { ...call, isError: true },
    ])
  })

  it('leaves the result unchanged after its request is canceled', async () => {
    const result = { content: [text(LOG)] }
    const { shown, stored } = await offload(result, { signal: AbortSignal.abort() })
    expect(shown).toBe(result)
    expect(stored).toEqual([])
  })
})

describe('structured content of a result', () => {
  const indented = JSON.stringify(ROWS, undefined, 2)

  it.each([
    [
      'an object as JSON text',
      { rows: ROWS },
      [text(JSON.stringify({ rows: ROWS }))],
      JSON.stringify({ rows: ROWS }, undefined, 2),
    ],
    [
      'indented JSON text, byte for byte',
      { rows: ROWS },
      [text(JSON.stringify({ rows: ROWS }, undefined, 4))],
      JSON.stringify({ rows: ROWS }, undefined, 4),
    ],
    ['a text that is its only field', { content: LOG }, [text(LOG)], LOG],
    ['a list that is its only field', { result: ROWS }, [text(JSON.stringify(ROWS))], indented],
    ['a list itself', ROWS, [text(JSON.stringify(ROWS))], indented],
  ])('is not stored twice if the content is the same: %s', async (_name, structuredContent, content, expected) => {
    const { shown, stored } = await offload({ content, structuredContent })
    expect(stored).toEqual([expected])
    expect(shown.content).toEqual([REPLACED])
    expect(shown).not.toHaveProperty('structuredContent')
  })

  it.each([
    ['an id of 64 bits', '1915883588174806058'],
    ['a price', '10.00'],
    ['a number out of range', '1e999'],
  ])('leaves a text with the same content unchanged, with %s', async (_name, number) => {
    const rows = JSON.stringify({ rows: ROWS }).replaceAll('"id":', `"number":${number},"id":`)
    // Parsed as by an SDK, and as by the proxy.
    for (const structuredContent of [JSON.parse(rows), parseExactJson(rows)]) {
      const { stored } = await offload({ content: [text(rows)], structuredContent })
      expect(stored.map((one) => one.replaceAll(/\n\s*|(?<=:) /g, ''))).toEqual([rows])
    }
    const { stored } = await offload({ content: [text('3,000 rows')], structuredContent: parseExactJson(rows) })
    expect(stored[0]).toContain(number)
  })

  it('is stored in addition to a text with other digits', async () => {
    const [one, two] = ['1915883588174806058', '1915883588174806059'].map((id) =>
      JSON.stringify({ rows: ROWS }).replace('"id":0', `"id":${id}`),
    ) as [string, string]
    const { stored } = await offload({ content: [text(one)], structuredContent: parseExactJson(two) })
    expect(stored).toHaveLength(2)
  })

  it('is not stored again if its items are the texts of the content', async () => {
    const lines = ROWS.map(({ name }) => name)
    for (const [items, content] of [
      [ROWS, ROWS.map((row) => text(JSON.stringify(row)))],
      [lines, lines.map(text)],
    ]) {
      const { shown, stored } = await offload({ content, structuredContent: { result: items } })
      expect(shown).not.toHaveProperty('structuredContent')
      expect(stored.filter((one) => one === JSON.stringify({ result: items }, undefined, 2))).toEqual([])
    }
  })

  it('is not stored twice if it is the content itself', async () => {
    const content = [text(LOG)]
    const { stored } = await offload({ content, structuredContent: { content: structuredClone(content) } })
    expect(stored).toEqual([LOG])
  })

  it('is stored in addition to different content, whose small parts are unchanged', async () => {
    const { shown, stored } = await offload({ content: [text('3,000 rows')], structuredContent: { rows: ROWS } })
    expect(stored).toEqual([JSON.stringify({ rows: ROWS }, undefined, 2)])
    expect(shown.content).toEqual([REPLACED, text('3,000 rows')])
    expect(shown).not.toHaveProperty('structuredContent')
  })

  it('is unchanged if it differs and only the content is too large', async () => {
    const { shown } = await offload({ content: [text(LOG)], structuredContent: { lines: 5_000 } })
    expect(shown).toMatchObject({ content: [REPLACED], structuredContent: { lines: 5_000 } })
  })

  it('is offloaded even without content', async () => {
    for (const content of [undefined, []]) {
      const { shown, stored } = await offload({ content, structuredContent: { rows: ROWS } })
      expect(shown.content).toEqual([REPLACED])
      expect(stored).toEqual([JSON.stringify({ rows: ROWS }, undefined, 2)])
    }
  })
})

describe('the fields that a host gets', () => {
  const LARGE = 'x y '.repeat(50_000)
  const bytes = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, index) => (index * 7_919) % 251))
  const image = { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' }
  const sizeOf = (value: unknown): number => JSON.stringify(value).length

  it.each([
    ['`_meta` of the result', { content: [text('a')], _meta: { 'a/b': LARGE } }],
    ['an unknown field of the result', { content: [text('a')], debug: { log: LARGE } }],
    ['content that is not an array', { content: LARGE }],
    ['`_meta` of a part', { content: [{ ...text('a'), _meta: { log: LARGE } }] }],
    ['annotations', { content: [{ ...text('a'), annotations: { audience: ['user', 'assistant'], note: LARGE } }] }],
    ['an unknown field of a part', { content: [{ ...image, thumbnail: LARGE }] }],
    ['the type of an image', { content: [{ ...image, mimeType: `image/${LARGE}` }] }],
    ['further content fields of a text', { content: [{ ...text('a'), data: LARGE, resource: { blob: LARGE } }] }],
    ['a part of an unknown type', { content: [text('a'), { type: 'hologram', data: LARGE }] }],
    [
      'the description of a link',
      { content: [{ type: 'resource_link', uri: 'file:///a', name: 'a', description: LARGE }] },
    ],
    ['the name of a link', { content: [{ type: 'resource_link', uri: 'file:///a', name: LARGE }] }],
    [
      'a link that contains its content',
      { content: [{ type: 'resource_link', uri: `data:text/plain,${LARGE}`, name: 'a' }] },
    ],
    ['the address of a resource', { content: [{ type: 'resource', resource: { uri: `a:${LARGE}`, blob: 'aGk=' } }] }],
    [
      'a field of a resource',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'a', title: LARGE } }] },
    ],
    [
      'many links',
      {
        content: Array.from({ length: 2_000 }, (_, id) => ({
          type: 'resource_link',
          uri: `file:///${id}`,
          name: `file ${id}`,
        })),
      },
    ],
    ['many empty texts', { content: Array.from({ length: 20_000 }, () => text('')) }],
    ['an image that is only in structured content', { content: [text('a')], structuredContent: { chart: [image] } }],
  ])('are measured and stored if they are large: %s', async (_name, result) => {
    const { shown, stored } = await offload(result)
    expect(sizeOf(shown)).toBeLessThan(100_000)
    expect(sizeOf({ ...shown, content: shown.content.filter(({ type }) => type !== 'image') })).toBeLessThan(10_000)
    expect(shown.content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^\[Offloaded: /) as string })
    expect(stored.length).toBeGreaterThan(0)
    const all = stored.join('\n')
    const large = JSON.stringify(result).includes(LARGE)
    expect(all.includes(large ? LARGE : '"type": ') || all.includes(encodeURI(LARGE))).toBe(true)
  })

  it('keep the content of a part, its type and its audience, if everything else is stored', async () => {
    const annotations = { audience: ['assistant'], note: LARGE }
    const resource = { uri: `file:///${'a'.repeat(2_000)}`, mimeType: 'text/html', text: '<p>a', title: LARGE }
    const { shown } = await offload({
      content: [
        { ...image, annotations },
        { type: 'resource', resource, _meta: { a: LARGE } },
      ],
      other: 1,
      _meta: { a: 1 },
    })
    expect(shown.content.slice(1)).toEqual([
      { ...image, annotations: { audience: ['assistant'] } },
      { type: 'resource', resource: { uri: resource.uri.slice(0, 100), mimeType: 'text/html', text: '<p>a' } },
    ])
    expect(shown).toMatchObject({ other: 1, _meta: { a: 1 } })
  })

  it.each([
    ['the content', (): object => ({ content: [image] })],
    ['its only field', (): object => ({ result: [image] })],
  ])('have no structured content that repeats a remaining image: as %s', async (_name, structured) => {
    const { shown, stored } = await offload({ content: [image], structuredContent: structured() })
    expect(shown).toEqual({ content: [image] })
    expect(stored).toEqual([])
  })

  it('include a text and its repetition only if their total is within the limit', async () => {
    const result = (length: number): object => {
      const structuredContent = { rows: ROWS.slice(0, length) }
      return { content: [text(JSON.stringify(structuredContent))], structuredContent }
    }
    const [small, large] = [result(50), result(150)] as [object, Shown]
    expect((await offload(small)).shown).toBe(small)
    expect((await offload(large)).shown).toEqual({ content: large.content })
  })

  it('include the other fields of replaced parts, for programs', async () => {
    const { shown } = await offload({ content: [{ ...text(LOG), _meta: { etag: 7 } }, text('small')] })
    expect(shown._meta?.[OFFLOADED_KEY]).toMatchObject({ parts: [{ _meta: { etag: 7 } }] })
  })
})

describe('annotations', () => {
  const forUser = { annotations: { audience: ['user'], priority: 1 } }
  const forModel = { annotations: { audience: ['assistant'] } }
  const shownOf = async (...content: object[]): Promise<readonly Record<string, unknown>[]> =>
    (await offload({ content })).shown.content

  it('keep a part for the user, and its preview, separate from content for the model', async () => {
    const small = { ...text('for the model'), ...forModel }
    expect(await shownOf({ ...text(LOG), ...forUser }, small)).toEqual([small, { ...REPLACED, ...forUser }])
    expect(await shownOf({ ...text(LOG), ...forUser }, { ...text(`${LOG}!`), ...forModel })).toEqual([
      { ...REPLACED, ...forModel },
      { ...REPLACED, ...forUser },
    ])
    expect(await shownOf(text(LOG), { ...text('for the user'), ...forUser })).toEqual([
      REPLACED,
      { ...text('for the user'), ...forUser },
    ])
  })

  it('of a preview equal the annotations of the replaced parts, or contain only the audience that these parts share', async () => {
    const other = { annotations: { audience: ['user'], priority: 0 } }
    expect(await shownOf({ ...text(LOG), ...forModel }, { ...text(`${LOG}!`), ...forModel })).toEqual([
      { ...REPLACED, ...forModel },
    ])
    expect(await shownOf({ ...text(LOG), ...forUser }, { ...text(`${LOG}!`), ...other })).toEqual([
      { ...REPLACED, annotations: { audience: ['user'] } },
    ])
    expect(await shownOf({ ...text(LOG), ...forModel }, text(`${LOG}!`))).toEqual([REPLACED])
  })

  it('for both audiences, or without an audience, are treated as for the model', async () => {
    for (const audience of [['user', 'assistant'], []]) {
      const annotations = { audience }
      expect(await shownOf({ ...text(LOG), annotations }, text('small'))).toEqual([
        { ...REPLACED, annotations },
        text('small'),
      ])
    }
  })
})

describe('sameJson', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  /** Reference for equality: the JSON text with sorted keys. */
  const canonical = (value: unknown): string =>
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? { fields: Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)) }
        : item,
    )

  describe('isEqual', () => {
    it('returns whether two values are equal as JSON', () => {
      fc.assert(
        fc.property(json, json, (left, right) => {
          const [a, b] = [through(left), through(right)]
          expect(isEqual(a, b)).toBe(canonical(a) === canonical(b))
          expect(isEqual(a, through(a))).toBe(true)
        }),
      )
    })

    it('distinguishes similar values', () => {
      const pairs: [unknown, unknown][] = [
        [[], {}],
        [[1], { 0: 1 }],
        [null, {}],
        [{ a: undefined }, { b: undefined }],
        [JSON.parse('{"__proto__": 1}'), {}],
        [{ toString: 1 }, {}],
        ['1', 1],
      ]
      for (const [left, right] of pairs) expect([isEqual(left, right), isEqual(right, left)]).toEqual([false, false])
    })

    it('compares values that are nested deeper than the call stack allows', () => {
      const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
      expect(isEqual(deep(100_000), deep(100_000))).toBe(true)
      expect(isEqual(deep(100_000), deep(100_001))).toBe(false)
    })
  })

  describe('isSameJson', () => {
    it('accepts a value with any spacing', () => {
      fc.assert(
        fc.property(json, fc.constantFrom(undefined, 1, 2, 4, '\t'), (value, indent) => {
          expect(isSameJson(JSON.stringify(value, undefined, indent), through(value))).toBe(true)
        }),
      )
    })

    it('rejects other values, and invalid JSON', () => {
      expect(isSameJson('{"a":1}', { a: 2 })).toBe(false)
      expect(isSameJson('{"a":1', { a: 1 })).toBe(false)
      expect(isSameJson('', '')).toBe(false)
      expect(isSameJson('null', undefined)).toBe(false)
    })

    it('compares large texts in the form that serializers write', () => {
      const value = { rows: Array.from({ length: 200_000 }, (_, id) => ({ id, name: `row ${id}` })) }
      for (const indent of [0, 2, 4]) expect(isSameJson(JSON.stringify(value, undefined, indent), value)).toBe(true)
      expect(isSameJson(JSON.stringify(value), { rows: value.rows.slice(1) })).toBe(false)
    })
  })
})

describe('an invalid result', () => {
  const deep = (wrap: (inner: unknown) => unknown): unknown =>
    Array.from({ length: 20_000 }).reduce((inner) => wrap(inner), LOG as unknown)

  it.each<[string, unknown]>([
    ['text', LOG],
    ['a list', [LOG]],
    ['unknown fields', { toolResult: LOG }],
    ['an isError that is a text', { content: [text('small')], isError: LOG }],
    ['20,000 nested objects', { content: [text('small')], structuredContent: deep((inner) => ({ a: inner })) }],
    ['20,000 nested lists', { content: [{ type: 'new', value: deep((inner) => [inner]) }] }],
    ['deep metadata', { content: [text('small')], _meta: { 'a"b': deep((inner) => ({ '': inner, b: [] })) } }],
  ])('is stored if it has %s and is too large', async (_name, result) => {
    const { shown, stored } = await offload(result)
    expect(JSON.stringify(shown).length).toBeLessThan(8_000)
    expect(shown.content).toContainEqual(REPLACED)
    const lines = stored.some((one) => one.includes('line 1500: all is well'))
    expect(lines).toBe(true)
  })

  it('is written as JSON without recursion', async () => {
    const value = deep((inner) => [inner, { '"': 1.5, a: [], b: {}, c: null }])
    const { stored } = await offload({ content: [], structuredContent: { value } })
    const text = JSON.stringify([LOG, { '"': 1.5, a: [], b: {}, c: null }])
    expect(stored[0]?.includes(text)).toBe(true)
    expect(isEqual(JSON.parse(stored[0] ?? ''), { content: [], structuredContent: { value } })).toBe(true)
  })
})

describe('offloadCallError', () => {
  const offloadError = async (error: unknown): Promise<unknown> => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    return await offloadCallError(offloader, { toolName: 'read', input: {}, error })
  }

  it.each([{ code: -32_603, message: 'It failed.' }, { code: 1, message: 'It failed.', data: { reason: 'x' } }, null])(
    'returns the same error %j',
    async (error) => {
      expect(await offloadError(error)).toBe(error)
    },
  )

  it.each([
    { code: -32_603, message: LOG },
    { code: -32_603, message: 'It failed.', data: { trace: LOG } },
    { code: -32_603, message: 'It failed.', trace: LOG },
  ])('replaces an error that is too large, and keeps its code', async (error) => {
    const shown = await offloadError(error)
    expect(shown).toMatchObject({ code: -32_603, message: expect.stringContaining('[Offloaded: ') })
    expect(JSON.stringify(shown).length).toBeLessThan(8_000)
  })
})
