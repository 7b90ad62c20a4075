import { ContextOffloader } from '@spillway/core'
import { type Previewer } from '@spillway/previews'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadContent } from './offload-content.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const REPLACED = expect.stringMatching(/^\[Offloaded: /)
const CALL = { toolName: 'read', toolCallId: 'call_1', isOfToolset: false }
const text = (value: string, more: object = {}): object => ({ type: 'text', text: value, ...more })
const image = (size: number): object => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(size) },
})

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

describe('offloadContent', () => {
  it.each([
    ['text', 'small'],
    ['nothing', undefined],
    ['null', null],
    ['a value that is no content', { rows: LOG }],
    ['no parts', []],
    ['small parts', [text('small'), image(1_000)]],
    ['odd parts', [null, undefined, 7, 'text', {}]],
  ])('returns the very %s', async (_name, content) => {
    expect(await offloadContent(offloader, CALL, content)).toBe(content)
  })

  it('replaces a large text by a text, and one among parts by a part, behind which the very others stay', async () => {
    expect(await offloadContent(offloader, CALL, LOG)).toEqual(REPLACED)
    const [small, picture] = [text('small'), image(1_000)]
    const shown = await offloadContent(offloader, CALL, [small, text(LOG), picture])
    expect(shown).toEqual([text(REPLACED as string), small, picture])
    expect((shown as object[])[1]).toBe(small)
    expect((shown as object[])[2]).toBe(picture)
  })

  it('keeps what is by URL or by id, and what it does not know', async () => {
    const kept = [
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      { type: 'tool_reference', tool_name: 'read' },
      null,
    ]
    expect(await offloadContent(offloader, CALL, [text(LOG), ...kept])).toEqual([text(REPLACED as string), ...kept])
  })

  it('works through a hundred thousand parts in seconds', { timeout: 20_000 }, async () => {
    const parts = Array.from({ length: 100_000 }, (_, index) => text(`part ${index}`))
    const shown = await offloadContent(offloader, CALL, parts)
    expect(shown).not.toBe(parts)
  })

  it('takes parts that are plain strings', async () => {
    expect(await offloadContent(offloader, CALL, [LOG, 'small'])).toEqual([text(REPLACED as string), 'small'])
  })

  it('replaces large documents of text and search results', async () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: LOG } }
    const found = { type: 'search_result', title: 'A', source: 'b', content: [text(LOG)] }
    for (const part of [document, found])
      expect(await offloadContent(offloader, CALL, [part])).toEqual([text(REPLACED as string)])
  })

  it('ends a cached prefix behind the replacement where it ended in what was replaced', async () => {
    const [first, second] = [{ type: 'ephemeral', ttl: '1h' }, { type: 'ephemeral' }]
    const parts = [text(LOG, { cache_control: first }), text(LOG.toUpperCase(), { cache_control: second })]
    expect(await offloadContent(offloader, CALL, parts)).toEqual([text(REPLACED as string, { cache_control: second })])
    const kept = text('small', { cache_control: first })
    expect(await offloadContent(offloader, CALL, [text(LOG), kept])).toEqual([text(REPLACED as string), kept])
    const none = text(LOG, { cache_control: null })
    expect(await offloadContent(offloader, CALL, [none])).toEqual([text(REPLACED as string)])
  })

  it('replaces only text of members of a toolset, and leaves the rest in its order, whatever its size', async () => {
    const call = { ...CALL, isOfToolset: true }
    const [screenshot, state] = [image(4_000_000), { type: 'browser_state', tabs: [] }]
    expect(await offloadContent(offloader, call, [text(LOG), screenshot, state])).toEqual([
      text(REPLACED as string),
      screenshot,
      state,
    ])
    const small = [text('Clicked.'), screenshot, state]
    expect(await offloadContent(offloader, call, small)).toBe(small)
    expect(await offloadContent(offloader, CALL, [screenshot])).toEqual([text(REPLACED as string)])
  })

  it('adds what a previewer makes of an image, but not to an error, which may have text alone', async () => {
    const blocks = [{ type: 'image', mediaType: 'image/png', data: new Uint8Array([1]) }] as const
    const read = async (): Promise<{ blocks: typeof blocks }> => ({ blocks })
    const previewer: Previewer = { name: 'image', previews: 'media', recognize: () => 1, read }
    const scaling = new ContextOffloader({ storage: new InMemoryStorage(), previewers: [previewer] })
    const content = [image(4_000_000)]
    const smaller = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQ==' } }
    expect(await offloadContent(scaling, CALL, content)).toEqual([text(REPLACED as string), smaller])
    const call = { ...CALL, isError: true }
    expect(await offloadContent(scaling, call, content)).toEqual([text(REPLACED as string)])
  })
})
