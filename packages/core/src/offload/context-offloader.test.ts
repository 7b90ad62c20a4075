import { definePreviewer } from '@spillway/previews'
import { formatCount, type ContentBlock } from '@spillway/text/internal'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createStorage, type ManagedStorage } from '../storage/managed-storage.ts'
import type { DriverContent, StorageDriver } from '../storage/storage-driver.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Location, ManagedStorageOptions, Storage } from '../storage/storage.ts'
import type { ContextOffloaderOptions, OffloadEvent } from './context-offloader-options.ts'
import { ContextOffloader } from './context-offloader.ts'
import type { Outcome } from './offload-request.ts'

/** A storage over a map, whose writes can be made to fail. */
function mapStorage(options?: ManagedStorageOptions): {
  storage: ManagedStorage
  entries: Map<string, DriverContent>
  failWrites(times: number): void
} {
  const entries = new Map<string, DriverContent>()
  let failing = 0
  const driver: StorageDriver = {
    ephemeral: true,
    refreshMs: 0,
    async write(id, chunks, info) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      if (failing > 0 && --failing === 0) throw new Error('disk full')
      const content = new Uint8Array(Buffer.concat(parts))
      entries.set(id, { content, info: { ...info, size: content.length } })
      return true
    },
    async read(id, range) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const { offset, length } = range ?? { offset: 0, length: entry.content.length }
      return { ...entry, content: entry.content.slice(offset, offset + length) }
    },
    async touch(id, lastUsedAt) {
      const entry = entries.get(id)
      if (entry === undefined) return undefined
      const at = Math.max(lastUsedAt, entry.info.lastUsedAt + 1)
      entries.set(id, { ...entry, info: { ...entry.info, lastUsedAt: at } })
      return at
    },
    remove: async (id) => entries.delete(id),
    async *list(prefix) {
      for (const [id, { info }] of [...entries]) if (id.startsWith(prefix)) yield { id, info }
    },
  }
  return { storage: createStorage(driver, options), entries, failWrites: (times) => void (failing = times) }
}

const quarter = (text: string): number => Math.ceil(text.length / 4)

const log = (lines: number): string =>
  Array.from({ length: lines }, (_, line) => `line ${line} of the log, all is well`).join('\n')

const textBlock = (text: string): ContentBlock => ({ type: 'text', text })

function setUp(options: Partial<ContextOffloaderOptions> = {}) {
  const map = mapStorage()
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: map.storage,
    countTokens: quarter,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const offload = (
    content: ContentBlock[],
    more: { toolName?: string; toolCallId?: string; isError?: boolean } = {},
  ): Promise<Outcome> => offloader.offload({ toolName: 'tool', toolCallId: 'call_1', content, ...more })
  return { ...map, events, offloader, offload }
}

function offloaded(outcome: Outcome): Extract<Outcome, { status: 'offloaded' }> {
  if (outcome.status !== 'offloaded') throw new Error(`was left inline: ${outcome.reason}`, { cause: outcome.error })
  return outcome
}

function replacementText(outcome: Outcome): string {
  const [block] = offloaded(outcome).content
  if (block?.type !== 'text') throw new Error('expected the replacement first')
  return block.text
}

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
    expect(() => setUp().offloader.withRetrievalToolName('')).toThrow('name must be a tool name')
  })
})

describe('an offload that fails', () => {
  test('leaves the original in the context, emits an event, and leaves nothing new in storage', async () => {
    const { offload, events, entries, failWrites } = setUp()
    const content = [textBlock(log(3_000)), textBlock(`a ${log(3_000)}`), textBlock(`b ${log(3_000)}`)]
    failWrites(3)
    const outcome = await offload(content)
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed' })
    expect(outcome.content).toBe(content)
    expect(StorageError.isInstance(outcome.status === 'inline' && outcome.error)).toBe(true)
    expect(events).toMatchObject([{ type: 'offload-failed', toolCallId: 'call_1' }])
    expect(entries.size).toBe(0)
  })

  test('emits one event at the start of an outage, one per minute, and one at the end', async () => {
    const { offload, events, failWrites, offloader } = setUp()
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    for (let second = 0; second < 3_600; second += 10) {
      now = second * 1_000
      failWrites(1)
      await offload([textBlock(log(600))])
    }
    const failed = events.filter((event) => event.type === 'offload-failed')
    expect(failed).toHaveLength(60)
    expect(failed.map(({ failures }) => failures)).toEqual([1, ...Array.from({ length: 59 }, () => 6)])
    await offload([textBlock(log(600))])
    await offload([textBlock(log(600))])
    const [recovered, ...others] = events.filter(({ type }) => type === 'offload-recovered')
    expect(others).toEqual([])
    expect(recovered).toMatchObject({ failures: 360, tokens: { original: 360 * failed[0]!.tokens.original } })
    expect(offloader.meter()).toMatchObject({ failed: 360, offloaded: 2 })
  })

  test('emits at most two events per minute if the storage fails every other time', async () => {
    const { offload, events, failWrites } = setUp()
    for (let call = 0; call < 20; call++) {
      if (call % 2 === 0) failWrites(1)
      await offload([textBlock(`${call} ${log(600)}`)])
    }
    const types = events.map(({ type }) => type).filter((type) => type !== 'offload')
    expect(types).toEqual(['offload-failed', 'offload-recovered'])
  })

  describe('with maxInlineTokens', () => {
    test('leaves a result within maxInlineTokens unchanged', async () => {
      const { offload, failWrites } = setUp({ maxInlineTokens: 10_000 })
      const content = [textBlock(log(600))]
      failWrites(1)
      expect(await offload(content)).toMatchObject({ status: 'inline', reason: 'failed', content })
    })

    test.each([
      ['text', textBlock(`${log(3_000)}\nERROR the last line`)],
      ['JSON', { type: 'json', value: Array.from({ length: 5_000 }, (_, id) => ({ id, name: `name ${id}` })) }],
      ['one line', textBlock('word '.repeat(50_000))],
    ] satisfies [string, ContentBlock][])(
      'cuts %s, and says at the end what is missing and why',
      async (_name, block) => {
        const { offload, failWrites, entries } = setUp({ maxInlineTokens: 3_000 })
        const small = textBlock('a small block beside it')
        failWrites(1)
        const outcome = await offload([block, small])
        if (outcome.status !== 'cut') throw new Error('expected a cut result')
        const [cut, kept] = outcome.content
        const text = cut?.type === 'text' ? cut.text : ''
        expect(kept).toBe(small)
        expect(StorageError.isInstance(outcome.error)).toBe(true)
        expect(quarter(text) + quarter('a small block beside it')).toBeLessThanOrEqual(3_000)
        expect(quarter(text)).toBeGreaterThan(300)
        expect(outcome.tokens.replacement).toBe(quarter(text) + quarter('a small block beside it'))
        const [, missing = '', original = ''] =
          /\n\[Cut here: ~([\d,]+) of ~([\d,]+) tokens are missing, because the result could not be stored \(unavailable\)\. They cannot be retrieved\. .*\]$/.exec(
            text,
          ) ?? []
        const number = (shown: string): number => Number(shown.replaceAll(',', ''))
        expect(number(original)).toBe(outcome.tokens.original)
        expect(number(original) - number(missing)).toBeLessThanOrEqual(3_000)
        expect(text).not.toContain('line_range')
        expect(entries.size).toBe(0)
      },
    )

    test('leaves the result of an aborted call unchanged', async () => {
      const { offloader, failWrites } = setUp({ maxInlineTokens: 3_000 })
      const content = [textBlock(log(3_000))]
      failWrites(1)
      const signal = AbortSignal.abort(new Error('enough'))
      const outcome = await offloader.offload({ toolName: 'tool', toolCallId: 'call_1', content, signal })
      expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', content })
    })
  })

  test('keeps the entries of an earlier offload', async () => {
    const { offload, entries, failWrites } = setUp()
    const first = textBlock(log(3_000))
    await offload([first])
    expect(entries.size).toBe(1)
    failWrites(1)
    expect(await offload([first, textBlock(`b ${log(3_000)}`)])).toMatchObject({ reason: 'failed' })
    expect(entries.size).toBe(1)
  })

  test('leaves the original unchanged if the signal was aborted', async () => {
    const { offloader } = setUp()
    const content = [textBlock(log(5_000))]
    const outcome = await offloader.offload({ toolName: 't', toolCallId: 'c', content, signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', error: { code: 'aborted' } })
  })

  test.each([
    ['throws', () => expect.fail('broken')],
    ['is over the budget', (text: string) => text],
  ])('is one warning if a previewer of the user %s, and there is no listener', async (_what, preview) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitWarning.mockRestore())
    const own = definePreviewer({ name: 'own', recognize: () => 1, preview })
    const { offload } = setUp({ previewers: [own], onEvent: undefined })
    await offload([textBlock(log(5_000))])
    await offload([textBlock(log(6_000))])
    expect(emitWarning.mock.calls.map(([message]) => message)).toEqual(['The previewer own failed.'])
  })

  test('is only a warning if the listener of events failed', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitWarning.mockRestore())
    const { offload } = setUp({
      onEvent: () => {
        throw new Error('observer')
      },
    })
    expect(await offload([textBlock(log(5_000))])).toMatchObject({ status: 'offloaded' })
    expect(emitWarning).toHaveBeenCalledWith(expect.stringContaining('onEvent threw'), expect.anything())
  })

  test.each([
    [{ toolName: 1 }, 'toolName'],
    [{ toolCallId: undefined }, 'toolCallId'],
    [{ content: 'text' }, "content must be an array of blocks such as { type: 'text', text }"],
    [{ content: [{ type: 'text' }] }, 'content[0].text'],
    [{ content: [{ type: 'image', mediaType: 'image/png' }] }, 'content[0]'],
    [{ content: [{ type: 'thinking' }] }, 'content[0].type'],
  ])('refuses the request %j and names the fault', async (wrong, name) => {
    const { offloader } = setUp()
    const request = { toolName: 't', toolCallId: 'c', content: [], ...wrong } as never
    await expect(offloader.offload(request)).rejects.toThrow(TypeError)
    await expect(offloader.offload(request)).rejects.toThrow(name)
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

describe('a turn with several results', () => {
  const request = (index: number, lines: number, of: object = {}) => ({
    toolName: 'read_log',
    toolCallId: `call_${index}`,
    content: [textBlock(log(lines))],
    ...of,
  })
  const tokensOf = (outcomes: readonly Outcome[]): number =>
    outcomes.reduce((sum, { tokens }) => sum + ('replacement' in tokens ? tokens.replacement : tokens.original), 0)

  test.each([5n, Symbol('2'), '2', 0])('cannot have %o calls', async (callsInTurn) => {
    const { offloader } = setUp({ maxTurnTokens: 4_000 })
    await expect(offloader.offload(request(0, 1, { callsInTurn }))).rejects.toThrow('callsInTurn must be a number')
  })

  test('is an array', async () => {
    const { offloader } = setUp({})
    await expect(offloader.offloadAll(request(0, 1) as never)).rejects.toThrow('takes an array of requests')
    await expect(offloader.inTurn((async () => {}) as never)).rejects.toThrow('takes an array of functions')
  })

  test('stays within its budget, and stores results that exceed only that budget', async () => {
    const { offloader, entries, events } = setUp({ maxTurnTokens: 4_000 })
    const outcomes = await offloader.offloadAll([0, 1, 2, 3].map((index) => request(index, index === 1 ? 20 : 240)))
    expect(outcomes.map(({ status }) => status)).toEqual(['offloaded', 'inline', 'offloaded', 'offloaded'])
    expect(tokensOf(outcomes)).toBeLessThanOrEqual(4_000)
    expect(entries.size).toBe(3)
    expect(events).toMatchObject(Array.from({ length: 3 }, () => ({ type: 'offload', reason: 'turn-budget' })))
  })

  test('measures the duration of each result without the wait for the others', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const { offloader, events } = setUp({ maxTurnTokens: 2_000 })
    await offloader.inTurn([
      async (turn) => turn.offload(request(0, 240)),
      async (turn) => {
        // All microtasks of the first result run before this result is offloaded.
        await new Promise(setImmediate)
        now = 60_000
        return turn.offload(request(1, 240))
      },
    ])
    expect(events).toMatchObject([{ durationMs: 0 }, { durationMs: 0 }])
  })

  test('keeps its results unchanged if they fit its budget', async () => {
    const { offloader, entries } = setUp({ maxTurnTokens: 8_000 })
    const outcomes = await offloader.offloadAll([0, 1, 2].map((index) => request(index, 240)))
    expect(outcomes.map(({ status }) => status)).toEqual(['inline', 'inline', 'inline'])
    expect(entries.size).toBe(0)
  })

  test('does not wait for a call without a result', async () => {
    const { offloader } = setUp({ maxTurnTokens: 2_200 })
    const [without, outcome] = await offloader.inTurn<unknown>([
      async () => 'no result',
      async (turn) => turn.offload(request(1, 240)),
    ])
    expect(without).toBe('no result')
    expect(outcome).toMatchObject({ status: 'inline' })
    await expect(
      offloader.inTurn([
        async () => Promise.reject(new Error('failed')),
        async (turn) => turn.offload(request(1, 240)),
      ]),
    ).rejects.toThrow('failed')
  })

  test('counts answers of the retrieval tool, and does not reduce them', async () => {
    const { offloader } = setUp({ maxTurnTokens: 3_000 })
    const outcomes = await offloader.offloadAll([
      request(0, 240, { toolName: 'retrieve_offloaded_content' }),
      request(1, 240),
    ])
    expect(outcomes).toMatchObject([{ status: 'inline' }, { status: 'offloaded', reason: 'turn-budget' }])
  })

  test('gives an equal share to each result if results arrive one by one', async () => {
    const { offloader } = setUp({ maxTurnTokens: 4_000 })
    const outcomes = await Promise.all(
      [0, 1, 2, 3].map(async (index) => offloader.offload(request(index, index === 1 ? 20 : 240, { callsInTurn: 4 }))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['offloaded', 'inline', 'offloaded', 'offloaded'])
    expect(tokensOf(outcomes)).toBeLessThanOrEqual(4_000)
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
