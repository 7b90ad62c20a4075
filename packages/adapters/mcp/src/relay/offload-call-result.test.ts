import { ContextOffloader, type ContextOffloaderOptions, type OffloadEvent } from '@spillway/core'
import { parseExactJson } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { mayBeReplaced, OFFLOADED_META_KEY, offloadCallResult } from './offload-call-result.ts'

const LOG = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}: all is well`).join('\n')
const ROWS = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}` }))
const REPLACED = { type: 'text', text: expect.stringMatching(/^\[Offloaded: /) as string }

const text = (value: string): object => ({ type: 'text', text: value })

interface Shown {
  readonly content: readonly Record<string, unknown>[]
  readonly structuredContent?: unknown
  readonly _meta?: Record<string, { stored: { reference: string; contentType: string }[] }>
}

/** Offload a result, and return what is shown of it and what is stored. */
async function offload(
  result: unknown,
  {
    resourceLinks = false,
    signal,
    ...options
  }: { resourceLinks?: boolean; signal?: AbortSignal } & Partial<ContextOffloaderOptions> = {},
): Promise<{ readonly shown: Shown; readonly stored: readonly string[]; readonly events: readonly OffloadEvent[] }> {
  const events: OffloadEvent[] = []
  const storage = new InMemoryStorage()
  const offloader = new ContextOffloader({ storage, ...options, onEvent: (event) => void events.push(event) })
  const shown = (await offloadCallResult(offloader, {
    toolName: 'read',
    input: { a: 1 },
    result,
    resourceLinks,
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
    ['what is no result', 'text'],
    ['a task', { task: { taskId: '1' } }],
    ['a request for input', { resultType: 'input_required', inputRequests: {} }],
    ['no parts', { content: [] }],
    ['small parts', { content: [text('small'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }] }],
    ['odd parts', { content: [null, 7, 'text', {}, { type: 'new', text: 7 }] }],
    ['small structured content', { content: [], structuredContent: { rows: ROWS.slice(0, 3) } }],
    ['content that is no array', { content: 'all is well' }],
  ])('returns the very result with %s', async (_name, result) => {
    const { shown, stored, events } = await offload(result)
    expect(shown).toBe(result)
    expect([stored, events]).toEqual([[], []])
  })

  it('puts a preview in the place of a large text, and keeps the very other parts and fields', async () => {
    const [small, picture] = [text('small'), { type: 'image', data: 'aGk=', mimeType: 'image/png', annotations: {} }]
    const result = { content: [small, text(LOG), picture], isError: true, other: { a: 1 }, _meta: { a: 1 } }
    const { shown, stored } = await offload(result)
    expect(shown).toMatchObject({ content: [REPLACED, small, picture], isError: true, other: { a: 1 } })
    expect(shown.content[1]).toBe(small)
    expect(shown.content[2]).toBe(picture)
    expect(stored).toEqual([LOG])
    expect(shown._meta).toMatchObject({ a: 1, [OFFLOADED_META_KEY]: { stored: [{ type: 'text', size: LOG.length }] } })
  })

  it('tells the offloader what the call was, and whether it failed', async () => {
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

  it('links to what is stored where asked', async () => {
    const { shown } = await offload({ content: [text(LOG)] }, { resourceLinks: true })
    const reference = shown._meta?.[OFFLOADED_META_KEY]?.stored[0]?.reference
    const link = {
      type: 'resource_link',
      uri: `spillway:///${reference}`,
      name: 'read (text)',
      mimeType: 'text/plain',
      size: LOG.length,
    }
    expect(shown.content).toEqual([REPLACED, link])
  })

  it('leaves the result as it is once nobody waits for it', async () => {
    const result = { content: [text(LOG)] }
    const { shown, stored } = await offload(result, { signal: AbortSignal.abort() })
    expect(shown).toBe(result)
    expect(stored).toEqual([])
  })
})

describe('structured content', () => {
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
  ])(
    'is not stored a second time where the content says it: %s',
    async (_name, structuredContent, content, expected) => {
      const { shown, stored } = await offload({ content, structuredContent })
      expect(stored).toEqual([expected])
      expect(shown.content).toEqual([REPLACED])
      expect(shown).not.toHaveProperty('structuredContent')
    },
  )

  it.each([
    ['an id of 64 bits', '1915883588174806058'],
    ['a price', '10.00'],
    ['a number out of range', '1e999'],
  ])('leaves the text that says it as it is, with %s', async (_name, number) => {
    const rows = JSON.stringify({ rows: ROWS }).replaceAll('"id":', `"number":${number},"id":`)
    // As the parser of an SDK reads it, and as the proxy does.
    for (const structuredContent of [JSON.parse(rows), parseExactJson(rows)]) {
      const { stored } = await offload({ content: [text(rows)], structuredContent })
      expect(stored.map((one) => one.replaceAll(/\n\s*|(?<=:) /g, ''))).toEqual([rows])
    }
    const { stored } = await offload({ content: [text('3,000 rows')], structuredContent: parseExactJson(rows) })
    expect(stored[0]).toContain(number)
  })

  it('is stored beside a text that has other digits', async () => {
    const [one, two] = ['1915883588174806058', '1915883588174806059'].map((id) =>
      JSON.stringify({ rows: ROWS }).replace('"id":0', `"id":${id}`),
    ) as [string, string]
    const { stored } = await offload({ content: [text(one)], structuredContent: parseExactJson(two) })
    expect(stored).toHaveLength(2)
  })

  it('is not stored a second time where every item is a text of its own', async () => {
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

  it('is not stored a second time where it is the content', async () => {
    const content = [text(LOG)]
    const { stored } = await offload({ content, structuredContent: { content: structuredClone(content) } })
    expect(stored).toEqual([LOG])
  })

  it('is stored beside content that says something else, whose small parts stay', async () => {
    const { shown, stored } = await offload({ content: [text('3,000 rows')], structuredContent: { rows: ROWS } })
    expect(stored).toEqual([JSON.stringify({ rows: ROWS }, undefined, 2)])
    expect(shown.content).toEqual([REPLACED, text('3,000 rows')])
    expect(shown).not.toHaveProperty('structuredContent')
  })

  it('stays where only the content is too large, and says something else', async () => {
    const { shown } = await offload({ content: [text(LOG)], structuredContent: { lines: 5_000 } })
    expect(shown).toMatchObject({ content: [REPLACED], structuredContent: { lines: 5_000 } })
  })

  it('is enough without content', async () => {
    for (const content of [undefined, []]) {
      const { shown, stored } = await offload({ content, structuredContent: { rows: ROWS } })
      expect(shown.content).toEqual([REPLACED])
      expect(stored).toEqual([JSON.stringify({ rows: ROWS }, undefined, 2)])
    }
  })
})

describe('mayBeReplaced', () => {
  const may = (result: unknown, options: Partial<ContextOffloaderOptions> = {}): boolean =>
    mayBeReplaced(new ContextOffloader({ storage: new InMemoryStorage(), ...options }), result)

  it('tells results that may be over the limit', () => {
    expect(may({ content: [text(LOG)] })).toBe(true)
    expect(may({ content: [text('short lines\n'.repeat(2_000))] })).toBe(true)
    expect(may({ structuredContent: { rows: ROWS } })).toBe(true)
    expect(may({ content: [text('small')] }, { countTokens: (value) => value.length * 1_000 })).toBe(true)
  })

  it('tells results that are not, and those whose replacement names no tool', () => {
    for (const result of [{ content: [text('small')] }, { task: {} }, undefined]) expect(may(result)).toBe(false)
    const storage = Object.assign(new InMemoryStorage(), { locate: () => '/a/file' })
    const options = { storage, includeRetrievalTool: false, showLocation: true }
    expect(may({ content: [text(LOG)] }, options)).toBe(false)
  })
})
