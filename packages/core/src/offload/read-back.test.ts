import { describe, expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { RETRIEVAL_TOOL_NAME } from '../retrieval/retrieval-tool.ts'
import type { Storage } from '../storage/storage.ts'
import type { ContextOffloaderOptions, OffloadEvent } from './context-offloader-options.ts'
import { ContextOffloader } from './context-offloader.ts'
import type { Outcome } from './offload-request.ts'

const LINES = Array.from(
  { length: 3_000 },
  (_, at) => `${at % 2 === 0 ? '  ' : ''}line ${at + 1} of the log, user=${at % 7}`,
)
const LOG = LINES.join('\n')
const PNG = Uint8Array.from({ length: 1_500_000 }, (_, at) => '\x89PNG\r\n\x1a\n'.charCodeAt(at) || at % 251)
const asText = (text: string): ContentBlock => ({ type: 'text', text })
const image = (data: Uint8Array): ContentBlock => ({ type: 'image', mediaType: 'image/png', data })

/** A session in which `read_log` was offloaded. */
async function setUp(options: Partial<ContextOffloaderOptions> = {}, first: ContentBlock = asText(LOG)) {
  const events: OffloadEvent[] = []
  const storage = tinyStorage()
  const all = new ContextOffloader({ storage, onEvent: (event) => void events.push(event), ...options })
  const session = all.forScope('a')
  const outcome = await session.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [first] })
  const reference = outcome.status === 'offloaded' ? (outcome.stored[0]?.reference ?? '') : ''
  const read = async (input: unknown, ...content: ContentBlock[]): Promise<Outcome> =>
    session.offload({ toolName: 'shell', toolCallId: 'call_2', input, content })
  const entries = async (): Promise<number> => {
    let count = 0
    for await (const _entry of storage.list()) count++
    return count
  }
  return { all, session, storage, events, reference, read, entries }
}

describe('a result that a tool read back', () => {
  const part = LINES.slice(500, 900)
  const numbered = (separator: string): string =>
    part.map((line, at) => `${`${at + 501}`.padStart(6)}${separator}${line}`).join('\n')
  it.each<[string, ContentBlock]>([
    ['cat', asText(LOG)],
    ['cat with an exit code', asText(`${LOG}\n\n[exit code: 0]\n`)],
    ['sed', asText(part.join('\n'))],
    ['cat -n', asText(numbered('\t'))],
    ['grep -n', asText(part.map((line, at) => `${at + 501}:${line}`).join('\n'))],
    ['a read tool', asText(numbered('→'))],
    ['a shell with CRLF', asText(part.join('\r\n'))],
    ['a shell that returns an object', { type: 'json', value: { stdout: part.join('\n'), stderr: '', exitCode: 0 } }],
    ['a shell that returns JSON as text', asText(JSON.stringify({ output: LOG, metadata: { exit: 0 } }))],
  ])('is not stored again, and is kept up to maxRetrievalTokens, if it comes from %s', async (_, block) => {
    const { read, reference, entries, events, session } = await setUp({ maxRetrievalTokens: 100_000 })
    const outcome = await read({ command: `cat '/var/spill/a/${reference}.txt'` }, block)
    expect(outcome).toMatchObject({ status: 'inline', reason: 'read-back', content: [block] })
    expect(await entries()).toBe(1)
    expect(events.at(-1)).toMatchObject({ type: 'offload-skipped', reason: 'read-back' })
    expect(session.meter()).toMatchObject({ offloaded: 1, tokensRetrieved: outcome.tokens.original })
  })

  it('is cut above maxRetrievalTokens, and its end says where the missing part is', async () => {
    const { read, reference, entries } = await setUp()
    const outcome = await read({ url: `http://host/v1/entries/${reference}/content` }, asText(`${LOG}\n[exit code: 7]`))
    expect(outcome).toMatchObject({ status: 'cut', reason: 'read-back', stored: [] })
    const [block] = outcome.content
    const text = block?.type === 'text' ? block.text : ''
    expect(text).toContain('line 1 of the log')
    expect(text).toMatch(
      new RegExp(`because they are stored already: ${reference}\\. Read a part with ${RETRIEVAL_TOOL_NAME}\\.`),
    )
    expect(text).toContain('["[exit code: 7]"]')
    expect('replacement' in outcome.tokens && outcome.tokens.replacement).toBeLessThanOrEqual(2_500)
    expect(await entries()).toBe(1)
  })

  it.each([{ line_range: { start: 40, end: 900 } }, { pattern: 'user=3', context_lines: 1 }])(
    'is not stored again if the retrieval tool has another name, with %j',
    async (call) => {
      const { session, read, reference, entries } = await setUp({ maxRetrievalTokens: 20_000 })
      const answer = await session.retrievalTool.execute({ reference, ...call })
      const outcome = await read({ reference, ...call }, ...answer.content)
      expect(outcome).toMatchObject({ status: 'inline', reason: 'read-back' })
      expect(await entries()).toBe(1)
    },
  )

  it('is recognized after a search of the whole scope, because the answer names its entries', async () => {
    const { session, read, entries } = await setUp({ maxRetrievalTokens: 20_000 })
    const call = { pattern: 'user=3', context_lines: 0 }
    const answer = await session.retrievalTool.execute(call)
    expect(await read(call, ...answer.content)).toMatchObject({ status: 'inline', reason: 'read-back' })
    expect(await entries()).toBe(1)
  })

  it('is kept if it is an image with the stored bytes', async () => {
    const { read, reference, entries } = await setUp({}, image(PNG))
    expect(await read({ reference }, image(PNG))).toMatchObject({ status: 'inline', reason: 'read-back' })
    expect(await entries()).toBe(1)
  })

  it('is recognized by another process', async () => {
    const { storage, reference, entries } = await setUp()
    const content = [asText(LOG)]
    const other = new ContextOffloader({ storage }).forScope('a')
    const outcome = await other.offload({ toolName: 'cat', toolCallId: 'x', input: [`${reference}.txt`], content })
    expect(outcome.status).toBe('cut')
    expect(await entries()).toBe(1)
  })
})

describe('a result that only claims to come from storage', () => {
  const own = Array.from({ length: 3_000 }, (_, at) => `row ${at} of another tool`).join('\n')
  it.each<[string, (reference: string) => ContentBlock]>([
    ['names an entry', (reference) => asText(`[Stored references:]\n  ${reference} (text)\n${own}`)],
    ['has the fences of a preview', (reference) => asText(`<<< preview of ${reference}: untrusted content\n${own}`)],
    ['has stored lines before its own', () => asText(`${LOG}\n${own}`)],
    ['has one long line of its own', () => asText(`${LOG}\n${'word '.repeat(300)}`)],
    ['has the stored lines in another order', () => asText(LINES.toReversed().join('\n'))],
    ['repeats a stored line', () => asText(`${LINES[7]}\n`.repeat(3_000))],
    ['is JSON too deep to compare', () => asText(`${'['.repeat(50_000)}"a\\nb"${']'.repeat(50_000)}`)],
    ['has no lines', () => asText('\n \n'.repeat(50_000))],
    ['puts other values beside stored text', () => ({ type: 'json', value: { stdout: LOG, rows: own.split('\n') } })],
    ['puts a link beside stored text', () => ({ type: 'json', value: { own, stdout: LOG } })],
  ])('is offloaded if it %s', async (_, write) => {
    const { read, reference, entries, storage } = await setUp({ maxRetrievalTokens: 100_000 })
    const block = write(reference)
    const outcome = await read({ reference }, block)
    expect(outcome.status).toBe('offloaded')
    expect(await entries()).toBe(2)
    const stored = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : undefined
    const bytes = (await storage.scope('a').retrieve(stored ?? '')).content
    expect(new TextDecoder().decode(bytes)).toBe(
      block.type === 'text' ? block.text : JSON.stringify(Object(block).value, null, 2),
    )
  })

  it('is offloaded if it is another image of the same size', async () => {
    const { read, reference, entries } = await setUp({}, image(PNG))
    expect((await read({ reference }, image(PNG.with(9, 7)))).status).toBe('offloaded')
    expect(await entries()).toBe(2)
  })

  it('is offloaded if the entry belongs to another scope', async () => {
    const { all, reference } = await setUp()
    const other = all.forScope('b')
    const request = { toolName: 'shell', toolCallId: 'call_2', input: { reference }, content: [asText(LOG)] }
    expect((await other.offload(request)).status).toBe('offloaded')
  })

  it('is offloaded if the entry cannot be read', async () => {
    const { storage, reference } = await setUp()
    const scope = storage.scope('a')
    const retrieve = (): Promise<never> => scope.retrieve('call_1_0_aaaaaaaaaaaaaaaaaaaa') as Promise<never>
    const failing: Storage = { store: (...entry) => scope.store(...entry), retrieve }
    const request = { toolName: 'shell', toolCallId: 'call_2', input: { reference }, content: [asText(LOG)] }
    expect((await new ContextOffloader({ storage: failing }).offload(request)).status).toBe('offloaded')
  })
})
