import { ContextOffloader, StorageError, type OffloadEvent, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { assistant, call, logOf, result, user, type ChatMessage } from '../test/chat-messages.ts'
import type { HistoryArchive } from './archive/history-archive.ts'
import { offloaderArchive } from './archive/offloader-archive.ts'
import { compactHistory } from './compact-history.ts'
import type { Summarize } from './history-options.ts'
import { expandHistory } from './expand-history.ts'
import { openAIChat } from './formats/openai-chat.ts'
import { reloadHistory, type HistoryReload } from './reload-history.ts'

const format = openAIChat<ChatMessage>()

/** Two logs were read, and a file was written. */
const session = (): ChatMessage[] => [
  user('Why did it fail?'),
  call('call_1'),
  result('call_1', logOf('one', 2_000)),
  call('call_2', { path: 'report.txt', content: logOf('report', 1_500) }, 'write_file'),
  result('call_2', 'done'),
  call('call_3', {}, 'read_events'),
  result('call_3', logOf('two', 2_000)),
  assistant('Both failed in the middle.'),
]

const summarize: Summarize = async () =>
  '<state_snapshot><overall_goal>Find out</overall_goal><key_knowledge>Both failed</key_knowledge></state_snapshot>'

function bench(storage: Storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a'), archive?: HistoryArchive) {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
  const options = { offloader, format, archive }
  return {
    storage,
    offloader,
    events,
    compact: async (messages: ChatMessage[]): Promise<ChatMessage[]> =>
      (await compactHistory(messages, { ...options, mode: 'compact' })).messages,
    /** Logs become references, and then all but the last messages a summary. */
    compress: async (messages: ChatMessage[]): Promise<ChatMessage[]> => {
      const compacted = await compactHistory(messages, { ...options, mode: 'compact' })
      const more = [...compacted.messages, user('And the third?'), assistant(logOf('No third', 200))]
      const outcome = await compactHistory(more, { ...options, mode: 'compress', maxTotalTokens: 1_000, summarize })
      expect(outcome.applied).toEqual(['compress'])
      return outcome.messages
    },
    expand: async (messages: ChatMessage[]): Promise<ChatMessage[]> =>
      (await expandHistory(messages, options)).messages,
    reload: (messages: ChatMessage[]): Promise<HistoryReload<ChatMessage[]>> => reloadHistory(messages, options),
  }
}

async function ask(reload: HistoryReload<unknown>, input: unknown): Promise<string> {
  const { content } = await reload.retrievalTool.execute(input)
  return content[0]?.type === 'text' ? content[0].text : ''
}

describe('reloadHistory', () => {
  it('lists the references of results and arguments, with their tools and positions', async () => {
    const { compact, reload } = bench()
    const { references } = await reload(await compact(session()))
    expect(references).toMatchObject([
      { kind: 'text', contentType: 'text/plain', index: 2, toolName: 'read_log', callId: 'call_1' },
      { kind: 'argument', contentType: 'text/plain', index: 3, toolName: 'write_file', callId: 'call_2' },
      { kind: 'text', contentType: 'text/plain', index: 6, toolName: 'read_events', callId: 'call_3' },
    ])
    expect(references[0]?.size).toBe(logOf('one', 2_000).length)
    expect(references.every((one) => !('inside' in one))).toBe(true)
  })

  it('lists nothing for a history without references', async () => {
    const { references, restore } = await bench().reload(session())
    expect(references).toEqual([])
    const messages = session()
    expect((await (await bench().reload(messages)).restore()).messages).toBe(messages)
    expect((await restore([])).missing).toEqual([])
  })

  it('searches only entries that the history references', async () => {
    const { storage, compact, reload } = bench()
    const other = await storage.store('other', new TextEncoder().encode('other line FAILED\n'), 'text/plain')
    const reloaded = await reload(await compact(session()))
    const answer = await ask(reloaded, { pattern: 'FAILED', context_lines: 0 })
    expect(answer).toContain('> 1001| one line 1000 FAILED')
    expect(answer).toContain('> 1001| two line 1000 FAILED')
    expect(answer).toContain('> 751| report line 750 FAILED')
    expect(answer).not.toContain('other line')
    // Whoever names it may read it: it is of the scope.
    expect(await ask(reloaded, { reference: other, pattern: 'FAILED', context_lines: 0 })).toContain(
      'other line FAILED',
    )
  })

  it('reads ranges by reference, suggests references of the history, and reports its answers as events', async () => {
    const { events, offloader, compact, reload } = bench()
    const reloaded = await reload(await compact(session()))
    const [first] = reloaded.references
    expect(await ask(reloaded, { reference: first?.name, line_range: { start: 3, end: 3 } })).toContain(
      '3| one line 2 ok',
    )
    const suggested = await ask(reloaded, { reference: 'call_9_0_aaaaaaaaaaaaaaaaaaaa' })
    for (const { name } of reloaded.references) expect(suggested).toContain(name)
    const retrievals = events.filter((event) => event.type === 'retrieval')
    expect(retrievals).toHaveLength(2)
    const tokensRetrieved = retrievals.reduce((sum, { tokens }) => sum + tokens, 0)
    expect(offloader.meter()).toMatchObject({ retrievals: 2, tokensRetrieved, tokensNet: -tokensRetrieved })
  })

  it('restores only the given references, or everything without any', async () => {
    const { compact, reload } = bench()
    const compacted = await compact(session())
    const { references, restore } = await reload(compacted)
    const one = await restore([references[2]!.name])
    expect(one.messages[6]).toEqual(session()[6])
    expect(one.messages.slice(0, 6)).toEqual(compacted.slice(0, 6))
    expect(one.messages[2]).toBe(compacted[2])
    expect((await restore()).messages).toEqual(session())
    const none = await restore(['call_9_0_aaaaaaaaaaaaaaaaaaaa'])
    expect(none).toEqual({ messages: compacted, missing: [] })
    expect(none.messages).toBe(compacted)
  })

  it('finds, searches and restores references of summarized messages', async () => {
    const { compress, expand, reload } = bench()
    const compressed = await compress(session())
    expect(compressed.length).toBeLessThan(6)
    const reloaded = await reload(compressed)
    const [group, ...inside] = reloaded.references
    expect(group).toMatchObject({ kind: 'messages', contentType: 'application/json', index: 0 })
    expect(inside.map(({ toolName, index }) => [toolName, index])).toEqual([
      ['read_log', 0],
      ['write_file', 0],
      ['read_events', 0],
    ])
    expect(inside.every((one) => one.inside === group?.name)).toBe(true)
    expect(await ask(reloaded, { pattern: 'two line 1000', context_lines: 0 })).toContain(
      '> 1001| two line 1000 FAILED',
    )

    const all = await expand(compressed)
    expect((await reloaded.restore()).messages).toEqual(all)
    const one = (await reloaded.restore([inside[2]!.name])).messages
    expect(one).toHaveLength(all.length)
    expect(one[6]).toEqual(session()[6])
    expect(one[2]).not.toEqual(session()[2])
    const messagesAlone = (await reloaded.restore([group!.name])).messages
    expect(messagesAlone.map(({ role }) => role)).toEqual(all.map(({ role }) => role))
    expect(messagesAlone[6]).not.toEqual(session()[6])
  })

  it('lists a reference for each message that has it, and searches it once', async () => {
    const { compact, reload } = bench()
    const twice = [...session().slice(0, 3), call('call_1'), result('call_1', logOf('one', 2_000)), assistant('Same.')]
    const reloaded = await reload(await compact(twice))
    expect(reloaded.references.map(({ index }) => index)).toEqual([2, 4])
    expect(reloaded.references[0]?.name).toBe(reloaded.references[1]?.name)
    expect(await ask(reloaded, { pattern: 'FAILED', count_only: true })).toMatch(/^\[1 (?:match|line)/)
  })

  it('skips missing entries, and reports them when it restores', async () => {
    const { storage, compress, reload } = bench()
    const compressed = await compress(session())
    const [group, first] = (await reload(compressed)).references
    await storage.delete?.(first!.name)
    const answer = await ask(await reload(compressed), { pattern: 'FAILED', count_only: true })
    expect(answer).not.toContain(first!.name)
    await storage.delete?.(group!.name)
    const { references, restore } = await reload(compressed)
    expect(references.map(({ name }) => name)).toEqual([group?.name])
    const { messages, missing } = await restore()
    expect(messages).toEqual(compressed)
    expect(missing).toMatchObject([{ name: group?.name }])
  })

  it('rejects if the messages of a summary are unavailable', async () => {
    const { storage, compress } = bench()
    const compressed = await compress(session())
    const failing: Storage = {
      store: storage.store.bind(storage),
      retrieve: async () => {
        throw new StorageError('unavailable', 'The network is down.')
      },
    }
    await expect(bench(failing).reload(compressed)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('works with a storage of two methods', async () => {
    const whole = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    const bare: Storage = { store: whole.store.bind(whole), retrieve: whole.retrieve.bind(whole) }
    const { compact, reload } = bench(bare)
    const reloaded = await reload(await compact(session()))
    const answer = await ask(reloaded, { pattern: 'two line 1000 FAILED', context_lines: 0 })
    expect(answer).toMatch(/^\[1 match/)
    expect(answer).toContain('(read_events, text/plain,')
    expect(answer).not.toMatch(/ago|NaN/)
  })

  it('finds entries by the names of its own archive', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    const inner = offloaderArchive(new ContextOffloader({ storage }))
    const paths = new Map<string, string>()
    const archive: HistoryArchive = {
      ...inner,
      async store(item, options) {
        const receipt = await inner.store(item, options)
        const path = `files/${item.callId}_${item.part}.txt`
        paths.set(path, receipt.name)
        return { ...receipt, name: path }
      },
      retrieve: (name, options) => inner.retrieve(paths.get(name) ?? name, options),
      has: async (name) => paths.has(name),
    }
    const { compact, reload } = bench(storage, archive)
    const reloaded = await reload(await compact(session()))
    expect(reloaded.references[0]?.name).toBe('files/call_1_0.txt')
    expect(await ask(reloaded, { pattern: 'one line 1000 FAILED', context_lines: 0 })).toContain('files/call_1_0.txt')
    paths.delete('files/call_1_0.txt')
    expect(await ask(reloaded, { pattern: 'one line 1000 FAILED', context_lines: 0 })).toMatch(/^\[0 matches/)
    expect((await reloaded.restore(['files/call_3_0.txt'])).messages[6]).toEqual(session()[6])
  })

  it('refuses invalid names', async () => {
    const { reload } = bench()
    const { restore } = await reload(session())
    await expect(restore('call_1' as never)).rejects.toThrow('only must be an array of names')
  })
})
