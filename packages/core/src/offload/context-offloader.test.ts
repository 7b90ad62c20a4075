import { formatCount, type ContentBlock } from '@spillway/text/internal'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Location, Storage } from '../storage/storage.ts'
import type { ContextOffloaderOptions, OffloadEvent } from './context-offloader-options.ts'
import { ContextOffloader } from './context-offloader.ts'
import type { Outcome } from './offload-request.ts'
import { mapStorage, quarter, log, textBlock, setUp, offloaded, replacementText } from '../../test/offloader-bench.ts'

test('a gap in a page of one line names a call that shows the hidden part', async () => {
  const { offload, offloader } = setUp()
  const sections = Array.from(
    { length: 300 },
    (_, part) => `<h2>Section ${part}</h2><p>What part ${part} tells (again).</p>`,
  )
  const page = `<!doctype html><script>${'var x=1;'.repeat(900)}</script>${sections.join('')}`
  const outcome = await offload([textBlock(page)])
  const [, written = '""'] = /\[… .*: pattern (".*")\]/.exec(replacementText(outcome)) ?? []
  const pattern = JSON.parse(written) as string
  const reference = offloaded(outcome).stored[0]!.reference
  const answer = await offloader.retrievalTool.execute({ reference, pattern })
  expect(answer.content).toMatchObject([{ text: expect.stringMatching(/^\[[1-9]\d* match/) }])
})

describe('the SQL call that a preview suggests', () => {
  const rows = Array.from({ length: 900 }, (_, id) => ({
    id,
    state: id % 3 === 0 ? 'open' : 'done',
    note: `note ${id}`,
  }))
  const cells = (separator: string): string[] => rows.map((row) => Object.values(row).join(separator))
  const bars = (row: string): string => `| ${row} |`
  const services = rows.map(({ id, state }) => `service/${id + 1000}   ${state}    80/TCP`)
  const pods = rows.slice(0, 99).map(({ id }) => `pod/api-${id + 100}   1/1     Running   ${id % 7}d`)

  test.each([
    ['CSV', ['id,state,note', ...cells(',')].join('\n')],
    ['TSV', ['id\tstate\tnote', ...cells('\t')].join('\n')],
    ['Markdown', [bars('id | state | note'), bars('--- | --- | ---'), ...cells(' | ').map(bars)].join('\n')],
    ['a result of a query', [' id | state | note', '----+-------+------', ...cells(' | ')].join('\n')],
    ['JSON', JSON.stringify({ total: 900, data: { rows } })],
    ['JSON on many lines', JSON.stringify(rows, undefined, 2)],
    ['JSON Lines', rows.map((row) => JSON.stringify(row)).join('\n')],
    [
      'the largest of two tables',
      ['NAME          READY   STATUS    AGE', ...pods, '', 'NAME           state   PORT', ...services].join('\n'),
    ],
  ])('runs on %s', async (_, text) => {
    const { offload, offloader } = setUp()
    const outcome = await offload([textBlock(text)])
    const [, sql] = /[;:] sql '(SELECT "state".*)'\]/.exec(replacementText(outcome)) ?? []
    const answer = await offloader.retrievalTool.execute({ reference: offloaded(outcome).stored[0]?.reference, sql })
    expect(answer.content).toMatchObject([{ text: expect.stringContaining('| done,600\n2| open,300') }])
  })
})

describe('ContextOffloader', () => {
  test('leaves a result of exactly the limit unchanged, as the same block objects', async () => {
    const { offload, entries } = setUp({ maxResultTokens: 1_000, previewTokens: 100 })
    const content = [textBlock('x'.repeat(4_000))]
    const outcome = await offload(content)
    expect(outcome).toMatchObject({ status: 'inline', reason: 'within-limit', tokens: { original: 1_000 } })
    expect(outcome.content).toBe(content)
    expect(entries.size).toBe(0)
  })

  test('offloads a result that is one token over the limit', async () => {
    const { offload } = setUp({ maxResultTokens: 1_000, previewTokens: 100 })
    expect(await offload([textBlock(`${'word '.repeat(800)}x`)])).toMatchObject({ status: 'offloaded' })
  })

  test('leaves results of the retrieval tool and of canceled calls unchanged', async () => {
    const { offload, offloader } = setUp()
    const large = [textBlock(log(5_000))]
    expect(await offload(large, { toolName: 'retrieve_offloaded_content' })).toMatchObject({
      reason: 'retrieval-result',
    })
    const cancelled = await offloader.offload({ toolName: 't', toolCallId: 'c', content: large, isCancelled: true })
    expect(cancelled).toMatchObject({ status: 'inline', reason: 'cancelled', content: large })
  })

  test("offloads results of a tool with the retrieval tool's name if the retrieval tool is not offered", async () => {
    const guide = { instructions: () => [], formatCall: () => '' }
    const { offload } = setUp({ includeRetrievalTool: false, guide })
    const outcome = await offload([textBlock(log(5_000))], { toolName: 'retrieve_offloaded_content' })
    expect(outcome.status).toBe('offloaded')
  })

  test('leaves a result unchanged if shouldOffload declines it, but not if shouldOffload throws', async () => {
    const { offload, events } = setUp({ shouldOffload: ({ toolName }) => toolName !== 'keep' })
    const large = [textBlock(log(5_000))]
    expect(await offload(large, { toolName: 'keep' })).toMatchObject({ status: 'inline', reason: 'declined' })
    expect(events).toMatchObject([{ type: 'offload-skipped', reason: 'declined' }])
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitWarning.mockRestore())
    const failing = setUp({ shouldOffload: () => Promise.reject(new Error('no')) })
    expect(await failing.offload(large)).toMatchObject({ status: 'offloaded' })
    expect(emitWarning).toHaveBeenCalledWith(expect.stringContaining('shouldOffload threw'), expect.anything())
  })

  test('leaves links, media by URL, and blocks of unknown types unchanged, in their order', async () => {
    const { offload } = setUp()
    const unknown: ContentBlock = { type: 'unknown', value: { type: 'cachePoint' } }
    const image: ContentBlock = { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' }
    const link: ContentBlock = { type: 'link', url: 'https://example.com/' }
    const outcome = offloaded(await offload([unknown, textBlock(log(5_000)), image, link]))
    expect(outcome.content.slice(1)).toEqual([unknown, image, link])
    expect(outcome.content[1]).toBe(unknown)
  })

  test('leaves a result unchanged if its replacement would not be smaller, and removes the stored content', async () => {
    const { offload, entries } = setUp({ maxResultTokens: 30, previewTokens: 20 })
    expect(await offload([textBlock('a few words '.repeat(12))])).toMatchObject({ reason: 'not-smaller' })
    expect(entries.size).toBe(0)
  })

  test('leaves a circular value, which has no JSON, unchanged', async () => {
    const { offload } = setUp()
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const outcome = await offload([{ type: 'json', value: circular }])
    expect(outcome).toMatchObject({ status: 'inline' })
  })
})

describe('an offload', () => {
  test('stores every byte of a text, and only the tool name in its metadata', async () => {
    const { offload, storage } = setUp()
    const text = `${log(5_000)}\r\n\u{1F69A} end`
    const { stored } = offloaded(await offload([textBlock(text)]))
    const reference = stored[0]?.reference ?? ''
    const { content, contentType } = await storage.retrieve(reference)
    expect(new TextDecoder().decode(content)).toBe(text)
    expect(contentType).toBe('text/plain')
    expect((await storage.stat(reference)).metadata).toEqual({ tool: 'tool' })
  })

  test('stores a JSON value indented by two spaces, and a text of JSON byte for byte', async () => {
    const { offload, storage } = setUp()
    const value = { users: Array.from({ length: 2_000 }, (_, id) => ({ id, name: `user ${id}` })) }
    const asJson = offloaded(await offload([{ type: 'json', value }]))
    const asText = offloaded(await offload([textBlock(JSON.stringify(value))]))
    const read = async (outcome: typeof asJson): Promise<string> =>
      new TextDecoder().decode((await storage.retrieve(outcome.stored[0]?.reference ?? '')).content)
    expect(asJson.stored[0]).toMatchObject({ type: 'json', contentType: 'application/json' })
    expect(await read(asJson)).toBe(JSON.stringify(value, null, 2))
    expect(await read(asText)).toBe(JSON.stringify(value))
  })

  test('stores media byte for byte, counts them by size, and shows them as a placeholder', async () => {
    const { offload, storage } = setUp()
    const data = new Uint8Array(5_000_000).fill(7)
    const outcome = await offload([{ type: 'image', mediaType: 'image/png', data }])
    expect(replacementText(outcome)).toContain('[image: png, 5,000,000 bytes]')
    const { content, contentType } = await storage.retrieve(offloaded(outcome).stored[0]?.reference ?? '')
    expect(contentType).toBe('image/png')
    expect(Buffer.compare(content, data)).toBe(0)
  })

  test('stores each large block separately, and leaves the small blocks unchanged', async () => {
    const { offload } = setUp()
    const small = textBlock('a short note')
    const outcome = offloaded(await offload([small, textBlock(log(3_000)), textBlock(`other ${log(3_000)}`)]))
    expect(outcome.stored).toHaveLength(2)
    expect(outcome.content.slice(1)).toEqual([small])
  })

  test('stores many texts as one entry, because a reference for each text would fill the context again', async () => {
    const { offload, storage } = setUp()
    const texts = Array.from({ length: 300 }, (_, index) => `result ${index}: ${'some words '.repeat(50)}`)
    const outcome = offloaded(await offload(texts.map(textBlock)))
    expect(outcome.stored).toHaveLength(1)
    expect(replacementText(outcome)).toMatch(/\(text of \d+ blocks, /)
    const { content } = await storage.retrieve(outcome.stored[0]?.reference ?? '')
    expect(texts.join('\n')).toContain(new TextDecoder().decode(content))
  })

  test('stores many JSON values as one text, one value below the other', async () => {
    const { offload, entries } = setUp()
    const values = Array.from({ length: 100 }, (_, block) => Array.from({ length: 40 }, (_item, id) => ({ block, id })))
    const outcome = offloaded(await offload(values.map((value) => ({ type: 'json', value }))))
    expect(outcome.stored).toMatchObject([{ type: 'text', contentType: 'text/plain' }])
    expect(outcome.tokens.replacement).toBeLessThan(2_500)
    const [entry] = entries.values()
    expect(new TextDecoder().decode(entry?.content)).toBe(
      values.map((value) => JSON.stringify(value, undefined, 2)).join('\n'),
    )
  })

  test('stores redacted content, which the preview also shows', async () => {
    const { offload, storage } = setUp({ redact: (text) => text.replaceAll('sk-secret', '[redacted]') })
    const outcome = await offload([textBlock(`key=sk-secret\n${log(5_000)}\nkey=sk-secret`)])
    expect(replacementText(outcome)).not.toContain('sk-secret')
    const { content } = await storage.retrieve(offloaded(outcome).stored[0]?.reference ?? '')
    expect(new TextDecoder().decode(content)).not.toContain('sk-secret')
  })

  test('stores different content with the same call id as separate entries', async () => {
    const { offload, entries } = setUp()
    const first = offloaded(await offload([textBlock(log(5_000))]))
    const second = offloaded(await offload([textBlock(log(5_001))]))
    expect(first.stored[0]?.reference).not.toBe(second.stored[0]?.reference)
    expect(entries.size).toBe(2)
  })
})

describe('a replacement', () => {
  test('has the same bytes for the same input, even from another offloader', async () => {
    const content = [
      textBlock(log(5_000)),
      { type: 'json', value: Array.from({ length: 3_000 }, (_, id) => ({ id })) } as const,
    ]
    expect(replacementText(await setUp().offload([...content]))).toBe(
      replacementText(await setUp().offload([...content])),
    )
  })

  test('begins with the size, has a preview within its budget, and ends with the references', async () => {
    const { offload } = setUp()
    const outcome = await offload([textBlock(log(5_000))], { isError: true })
    const text = replacementText(outcome)
    const reference = offloaded(outcome).stored[0]?.reference ?? ''
    expect(text).toMatch(/^\[Offloaded: 1 block, ~[\d,]+ tokens\]\n/)
    expect(text).not.toMatch(/line_range \{ start: \d/)
    expect(
      text.endsWith(
        `[Stored references:]\n  ${reference} (text, ${formatCount(log(5_000).length)} bytes, 5,000 lines)`,
      ),
    ).toBe(true)
    const preview = text.slice(text.indexOf('untrusted content\n') + 18, text.indexOf('\n>>> end of'))
    expect(quarter(preview)).toBeLessThanOrEqual(1_000)
    expect(quarter(preview)).toBeGreaterThan(700)
  })

  test('names the call that shows a gap if one answer can hold its lines', async () => {
    const { offload } = setUp()
    const lines = Array.from({ length: 100 }, (_, index) => `${index} ${'some words of a long line '.repeat(8)}`)
    const text = replacementText(await offload([textBlock(lines.join('\n'))]))
    expect(text).toMatch(/^\[… \d+ lines.*: line_range \{ start: \d+, end: \d+ \}\]$/m)
  })

  test('keeps the last lines of an error', async () => {
    const { offload } = setUp()
    const text = replacementText(await offload([textBlock(`${log(5_000)}\nthe very last words`)], { isError: true }))
    expect(text).toContain('the very last words')
    expect(text).toContain('The tool failed')
  })

  test('shows shell commands if no retrieval tool is offered', async () => {
    const { storage } = mapStorage()
    const located: Storage = Object.assign(storage, { locate: () => ({ address: '/a b', command: "cat '/a b'" }) })
    const offloader = new ContextOffloader({ storage: located, includeRetrievalTool: false })
    const outcome = await offloader.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] })
    expect(replacementText(outcome)).toContain("cat '/a b'")
    expect(replacementText(outcome)).toMatch(/\| sed -n '\d+,\d+p'/)
    expect(replacementText(outcome)).not.toContain('retrieve_offloaded_content')
  })
})

describe('showLocation as a function', () => {
  const offloadTo = async (showLocation: (location: Location) => Location): Promise<Outcome> => {
    const { storage } = mapStorage()
    const located: Storage = Object.assign(storage, { locate: () => ({ address: '/srv/a', command: "cat '/srv/a'" }) })
    const offloader = new ContextOffloader({ storage: located, showLocation })
    return offloader.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] })
  }

  test('returns how the tools of the agent can reach stored content', async () => {
    const ssh = ({ address, command }: Location): Location => ({ address, command: `ssh build ${command}` })
    expect(replacementText(await offloadTo(ssh))).toMatch(/lines\): ssh build cat '\/srv\/a'$/)
  })

  test.each([undefined, {}, { address: '/a', command: 'cat a\n[Stored references:]' }])(
    'leaves the result unchanged if showLocation returns %j',
    async (returned) => {
      const outcome = await offloadTo(() => returned as Location)
      expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', error: expect.any(TypeError) })
    },
  )
})

describe('the size of a preview', () => {
  const table = textBlock(
    `id,name,amount\n${Array.from({ length: 4_000 }, (_, row) => `${row},name ${row},${row * 3}`).join('\n')}`,
  )
  const tokens = async (
    options: Partial<ContextOffloaderOptions>,
    block: ContentBlock,
    request: { readonly isError?: boolean } = {},
  ): Promise<number> => {
    const { offload } = setUp({ countTokens: quarter, ...options })
    return offloaded(await offload([block], request)).tokens.replacement
  }

  test('depends on the kind of content if previewTokens is not set, even in scopes', async () => {
    expect(await tokens({}, table)).toBeLessThan(600)
    expect(await tokens({}, textBlock(log(4_000)))).toBeLessThan(600)
    expect(await tokens({}, textBlock(log(4_000)), { isError: true })).toBeGreaterThan(700)
    const failing = `${log(4_000)}\nFAILED tests/a.test.ts\nError: expected 1 to be 2\nProcess exited with code 1`
    expect(await tokens({}, textBlock(failing))).toBeGreaterThan(700)
    const { offloader } = setUp({ countTokens: quarter })
    const scope = offloader.forScope('a').withRetrievalToolName('recall')
    const outcome = await scope.offload({ toolName: 'read', toolCallId: 'call_2', input: {}, content: [table] })
    expect(offloaded(outcome).tokens.replacement).toBeLessThan(600)
  })

  test('is previewTokens for every kind of content if that option is set', async () => {
    expect(await tokens({ previewTokens: 1_000 }, table)).toBeGreaterThan(900)
  })
})

describe('a custom name of the retrieval tool', () => {
  test('appears in replacements and answers, and changes neither storage, limits nor meter', async () => {
    const { offloader } = setUp()
    const renamed = offloader.forScope('a').withRetrievalToolName('logs_search')
    const outcome = offloaded(
      await renamed.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] }),
    )
    expect(replacementText(outcome)).toContain('use logs_search with a reference')
    expect(replacementText(outcome)).not.toContain('retrieve_offloaded_content')
    const { content } = await renamed.retrievalTool.execute({
      reference: outcome.stored[0]?.reference,
      pattern: 'line',
    })
    expect(JSON.stringify(content)).toMatch(/logs_search \{/)
    expect(JSON.stringify(content)).not.toContain('retrieve_offloaded_content')
    const [reference] = outcome.stored.map((stored) => stored.reference)
    const elsewhere = await offloader.forScope('b').retrievalTool.execute({ reference })
    expect(elsewhere.isError).toBe(true)
    expect(offloader.meter()).toEqual(renamed.meter())
  })

  test('is refused if it is not a valid name', () => {
    expect(() => setUp().offloader.withRetrievalToolName('')).toThrow('name must be a tool name, got the string ""')
  })
})

describe('a scope of an offloader', () => {
  test('isolates its references: another scope cannot resolve them', async () => {
    const { offloader } = setUp()
    const mine = offloader.forScope('tenant-1')
    const outcome = offloaded(await mine.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] }))
    const input = { reference: outcome.stored[0]?.reference, pattern: 'line 4999' }
    expect(await mine.retrievalTool.execute(input)).toMatchObject({ isError: false })
    for (const other of [offloader, offloader.forScope('tenant-2'), mine.forScope('session')])
      expect(await other.retrievalTool.execute(input)).toMatchObject({ isError: true, code: 'not-found' })
  })

  test('is refused by a storage without scopes', () => {
    const storage: Storage = {
      store: async (key) => key,
      retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }),
    }
    const offloader = new ContextOffloader({ storage })
    expect(() => offloader.forScope('tenant-1')).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })

  test('shares its meter with the other scopes', async () => {
    const { offloader } = setUp()
    for (const scope of ['a', 'b']) {
      const session = offloader.forScope(scope)
      const outcome = offloaded(
        await session.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] }),
      )
      if (scope === 'a')
        await session.retrievalTool.execute({ reference: outcome.stored[0]?.reference, context_lines: 2 })
    }
    const meter = offloader.meter()
    expect(meter).toMatchObject({ results: 2, offloaded: 2, retrievals: 1, bounceRate: 0.5 })
    expect(meter.tokensNet).toBe(meter.tokensAvoided - meter.tokensShown - meter.tokensRetrieved)
    expect(meter.tokensNet).toBeGreaterThan(0)
  })
})

describe('a custom storage with two methods', () => {
  test('works without scopes, and its references are used unchanged', async () => {
    const contents = new Map<string, Uint8Array>()
    const storage: Storage = {
      store: async (key, content) => {
        contents.set(`s3://bucket/${key}`, content.slice())
        return `s3://bucket/${key}`
      },
      retrieve: async (reference) => ({
        content: contents.get(reference) ?? new Uint8Array(),
        contentType: 'text/plain',
      }),
    }
    const offloader = new ContextOffloader({ storage })
    const outcome = await offloader.offload({ toolName: 't', toolCallId: 'c', content: [textBlock(log(5_000))] })
    expect(replacementText(outcome)).toContain('  s3://bucket/c_0 (text, ')
    const answer = await offloader.retrievalTool.execute({ reference: 's3://bucket/c_0', pattern: 'line 4999' })
    expect(answer).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('> 5000| line 4999') }] })
    expect(await offloader.endTurn()).toEqual({ evicted: [] })
  })
})

describe('the turns of a session', () => {
  test('evict unused entries and report them', async () => {
    const { storage } = mapStorage({ evictAfterTurns: 2 })
    const onEvent = vi.fn<(event: OffloadEvent) => void>()
    const session = new ContextOffloader({ storage, onEvent }).forScope('s')
    const outcome = offloaded(
      await session.offload({ toolName: 'read_log', toolCallId: 'c', content: [textBlock(log(5_000))] }),
    )
    for (let turn = 0; turn < 3; turn += 1) await session.endTurn()
    expect(onEvent).toHaveBeenCalledWith({ type: 'eviction', evicted: [expect.objectContaining({ reason: 'turns' })] })
    const answer = await session.retrievalTool.execute({ reference: outcome.stored[0]?.reference })
    expect(answer).toMatchObject({
      isError: true,
      code: 'evicted',
      content: [{ text: expect.stringContaining('read_log') }],
    })
  })

  test('end without a rejection even if the storage fails, and errors become events', async () => {
    const onEvent = vi.fn<(event: OffloadEvent) => void>()
    const error = new Error('down')
    const storage = Object.assign(setUp().storage, { endTurn: () => Promise.reject(error) })
    expect(await new ContextOffloader({ storage, onEvent }).endTurn()).toEqual({ evicted: [] })
    expect(onEvent).toHaveBeenCalledWith({ type: 'eviction-failed', error, failures: 1 })
  })
})

describe('a tool with its own settings', () => {
  const read = async (options: Partial<ContextOffloaderOptions>, lines = 5_000): Promise<Outcome> =>
    setUp(options).offload([textBlock(log(lines))])

  test('keeps its results whole up to maxInlineTokens if offload is false', async () => {
    const whole = await read({ tools: { '*': { offload: false } } })
    // The tokens of these results are not even counted.
    expect(whole).toMatchObject({ status: 'inline', reason: 'exempt', tokens: { original: 0 } })
    const capped = await read({ tools: { '*': { offload: false, maxInlineTokens: 20_000 } } })
    expect(capped).toMatchObject({ status: 'offloaded' })
  })

  test('has its own limit and preview', async () => {
    const tools = { '*': { maxResultTokens: 500, previewTokens: 50 } }
    const outcome = offloaded(await read({ tools }, 100))
    expect(outcome.tokens.replacement).toBeLessThan(350)
  })
})

describe('redaction', () => {
  const key = `ghp_${'a1B2'.repeat(9)}`

  test('covers results within the limit before they are counted', async () => {
    const { offload } = setUp({ redact: {}, maxResultTokens: 20, previewTokens: 5 })
    const outcome = await offload([textBlock(`key ${key} and more`), textBlock('other')])
    expect(outcome).toMatchObject({ status: 'redacted', reason: 'within-limit', stored: [] })
    expect(outcome.content).toEqual([textBlock('key [redacted:secret] and more'), textBlock('other')])
  })

  test('covers errors, canceled calls and exempt tools', async () => {
    const { offloader } = setUp({ redact: {}, tools: { exempt: { offload: false } } })
    const call = { toolCallId: 'call_1', content: [textBlock(key)] }
    for (const request of [
      { ...call, toolName: 'tool', isError: true },
      { ...call, toolName: 'tool', isCancelled: true },
      { ...call, toolName: 'exempt' },
    ])
      expect(await offloader.offload(request)).toMatchObject({
        status: 'redacted',
        content: [textBlock('[redacted:secret]')],
      })
  })

  test('leaves results within the limit unchanged if where is stored', async () => {
    const { offload, entries } = setUp({ redact: { where: 'stored' } })
    expect(await offload([textBlock(key)])).toMatchObject({ status: 'inline' })
    expect(replacementText(await offload([textBlock(`${key}\n${log(5_000)}`)]))).not.toContain(key)
    expect(new TextDecoder().decode([...entries.values()][0]?.content)).not.toContain(key)
  })

  test.each([{ where: 'all' as const }, { where: 'stored' as const }])(
    'withholds a result if a rule fails, with %j',
    async (options) => {
      const rules = [() => JSON.parse('{') as string]
      const { offload, entries, events } = setUp({ redact: { ...options, rules } })
      const outcome = await offload([textBlock(`${key}\n${log(5_000)}`)])
      expect(outcome).toMatchObject({ status: 'withheld', content: [{ text: expect.stringMatching(/^\[Withheld: /) }] })
      expect(entries.size).toBe(0)
      expect(events).toMatchObject([{ type: 'redaction-failed' }])
    },
  )

  test('keeps a result if a rule fails and onError is keep, and stores nothing without redaction', async () => {
    const rules = [() => JSON.parse('{') as string]
    const { offload, entries } = setUp({ redact: { rules, onError: 'keep' } })
    expect(await offload([textBlock(log(5_000))])).toMatchObject({ status: 'inline', reason: 'failed' })
    expect(entries.size).toBe(0)
  })

  test('covers streams, even within the limit', async () => {
    const { offloader, entries } = setUp({ redact: {} })
    async function* chunks(text: string) {
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += 999) yield bytes.slice(at, at + 999)
    }
    const stream = (text: string) => offloader.offloadStream({ toolName: 't', toolCallId: 'c', chunks: chunks(text) })
    expect((await stream(`a ${key}`)).content).toEqual([textBlock('a [redacted:secret]')])
    const outcome = await stream(`${log(400)}\nkey ${key}\n`.repeat(20))
    expect(replacementText(outcome)).not.toContain(key)
    const [entry] = entries.values()
    expect(new TextDecoder().decode(entry?.content)).toBe(`${log(400)}\nkey [redacted:secret]\n`.repeat(20))
  })
})

describe('the option mode', () => {
  test("counts possible offloads with 'shadow', stores nothing, and offers no tool", async () => {
    const { offload, offloader, entries, events } = setUp({ mode: 'shadow' })
    const outcome = await offload([textBlock(log(5_000))])
    expect(outcome).toMatchObject({ status: 'inline', reason: 'shadow' })
    expect(events).toMatchObject([{ type: 'offload-skipped', reason: 'shadow' }])
    expect(offloader.meter()).toMatchObject({ shadowed: 1, tokensShadowed: outcome.tokens.original, offloaded: 0 })
    expect(entries.size).toBe(0)
    expect(offloader.options.includeRetrievalTool).toBe(false)
  })

  test('may be a function that is called for each result; if it throws, the result is offloaded', async () => {
    let current: unknown = 'off'
    const { offload, offloader } = setUp({
      mode: () => {
        if (current === undefined) throw new Error('no flags')
        return current as 'off'
      },
    })
    const status = async (): Promise<string> => (await offload([textBlock(log(5_000))])).status
    expect(await status()).toBe('inline')
    expect(offloader.options.includeRetrievalTool).toBe(true)
    current = 'offload'
    expect(await status()).toBe('offloaded')
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => {
      warning.mockRestore()
    })
    for (current of [undefined, 'pause']) expect(await status()).toBe('offloaded')
    expect(warning).toHaveBeenCalledTimes(2)
  })

  test('is refused if it is unknown', () => {
    expect(() => setUp({ mode: 'pause' as 'off' })).toThrow("mode must be 'offload', 'shadow', 'off'")
  })
})
