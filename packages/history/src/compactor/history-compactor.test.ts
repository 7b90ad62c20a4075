import { ContextOffloader, StorageError, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { step as stepOf, system, user, type ChatMessage } from '../../test/chat-messages.ts'
import { expandHistory } from '../expand-history.ts'
import { anthropicMessages } from '../formats/anthropic-messages.ts'
import { openAIChat } from '../formats/openai-chat.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { HistoryOptions } from '../history-options.ts'
import { HistoryCompactor, isSameContent, rebaseMessage } from './history-compactor.ts'

type Options = Partial<HistoryOptions<readonly ChatMessage[]>>

const text = (name: string, lines = 100): string =>
  Array.from({ length: lines }, (_, line) => `${name} line ${line} is ok`).join('\n')

const step = (id: string, content = text(id)): ChatMessage[] => stepOf(id, content)

const begin = (): ChatMessage[] => [system('You help.'), user('Find it.')]

const copy = (messages: readonly ChatMessage[]): ChatMessage[] => structuredClone([...messages])

const snapshot = (goal: string): string =>
  `<state_snapshot><overall_goal>${goal}</overall_goal><key_knowledge>x</key_knowledge></state_snapshot>`

function compactorOver(storage: Storage, options: Options = {}): HistoryCompactor<readonly ChatMessage[]> {
  const offloader = new ContextOffloader({ storage })
  const format = openAIChat<ChatMessage>()
  return new HistoryCompactor({
    offloader,
    format,
    mode: 'compact',
    maxTotalTokens: 8_000,
    maxToolMessageTokens: 500,
    ...options,
  })
}

/** Run a loop with `steps` steps that passes the whole history each time. Return the messages sent with each call. */
async function live(
  compactor: HistoryCompactor<readonly ChatMessage[]>,
  steps: number,
  history: ChatMessage[] = begin(),
  from = 0,
): Promise<(readonly ChatMessage[])[]> {
  const sent: (readonly ChatMessage[])[] = []
  for (let count = from; count < from + steps; count++) {
    sent.push((await compactor.compact(copy(history))).messages)
    history.push(...step(`call_${count}`))
  }
  return sent
}

/** Count the calls whose messages do not begin with the messages of the call before. */
const breaks = (sent: readonly (readonly ChatMessage[])[]): number =>
  sent.filter((messages, index) => {
    const before = JSON.stringify(sent[index - 1] ?? []).slice(0, -1)
    return !JSON.stringify(messages).startsWith(before)
  }).length

describe('HistoryCompactor', () => {
  it('reuses its result, and changes the prompt only if the history exceeds its limit again', async () => {
    const sent = await live(compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a')), 30)
    const sizes = sent.map((messages) => JSON.stringify(messages).length)
    expect(Math.max(...sizes)).toBeLessThan(60_000)
    // Each step has about 950 tokens. A pass at every call would change the prompt 26 times.
    expect(breaks(sent)).toBeLessThan(12)
    expect(breaks(sent)).toBeGreaterThan(3)
  })

  it('compacts a conversation in another process before the same calls, to the same bytes', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const history = begin()
    const sent = await live(compactorOver(storage.scope('a')), 17, history)
    const resumed = await live(compactorOver(storage.scope('a')), 5, history, 17)
    const all = await live(compactorOver(storage.scope('a')), 22)
    expect(JSON.stringify([...sent, ...resumed])).toBe(JSON.stringify(all))
  })

  it('accepts its own result as the history if a framework saves it', async () => {
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    let history: readonly ChatMessage[] = begin()
    const sent: (readonly ChatMessage[])[] = []
    for (let count = 0; count < 22; count++) {
      history = (await compactor.compact(copy(history))).messages
      sent.push(history)
      history = [...history, ...step(`call_${count}`)]
    }
    expect(JSON.stringify(sent)).toBe(
      JSON.stringify(await live(compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a')), 22)),
    )
  })

  it('keeps a summary unchanged, requests the next summary only if needed, and can restore the messages', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    let asked = 0
    const summarize = async (): Promise<string> => snapshot(`goal ${(asked += 1)}`)
    const compactor = compactorOver(storage, { mode: 'compress', summarize })
    const history = begin()
    const sent = await live(compactor, 30, history)
    expect(asked).toBeGreaterThan(3)
    expect(asked).toBeLessThan(12)
    expect(breaks(sent)).toBe(asked)
    for (const messages of sent.slice(10))
      expect(String(messages[0]?.content)).toMatch(/^You help\.\n\n<state_snapshot>\n/)
    const { messages } = await compactor.compact(history)
    const offloader = new ContextOffloader({ storage })
    const expanded = await expandHistory(messages, { offloader, format: openAIChat<ChatMessage>() })
    expect(expanded).toEqual({ messages: history, missing: [] })
  })

  it('restores the summary if a framework keeps the messages without the system message', async () => {
    const summarize = async (): Promise<string> => snapshot('goal')
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'), {
      mode: 'compress',
      summarize,
    })
    let rest: readonly ChatMessage[] = begin().slice(1)
    let last: readonly ChatMessage[] = []
    for (let count = 0; count < 30; count++) {
      last = (await compactor.compact([{ role: 'system', content: `You help. Call ${count}.` }, ...rest])).messages
      rest = [...last.slice(1), ...step(`call_${count}`)]
    }
    expect(last[0]?.content).toMatch(/^You help\. Call 29\.\n\n<state_snapshot>/)
    expect(last[1]).toEqual({ role: 'user', content: 'Find it.' })
  })

  it.each<[string, (sent: readonly ChatMessage[], history: ChatMessage[]) => ChatMessage[]]>([
    ['only the original messages', (_, history) => history],
    ['the whole compacted history', (sent) => [...sent]],
    ['the compacted messages without the system message', (sent, history) => [history[0]!, ...sent.slice(1)]],
  ])('leaves system messages between other messages if a framework keeps %s', async (_, retained) => {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    const summarize = async (): Promise<string> => snapshot('goal')
    const compactor = compactorOver(storage, { mode: 'compress', summarize, maxTotalTokens: 3_000 })
    const all = begin()
    let history = begin()
    for (let count = 0; count < 16; count++) {
      const reminder = count % 6 === 1 ? [{ role: 'system', content: `Reminder ${count}.` }] : []
      const more = [...step(`call_${count}`, text('a', 40)), ...reminder, { role: 'user', content: `Go on, ${count}.` }]
      all.push(...more)
      history.push(...more)
      const { messages } = await compactor.compact(copy(history))
      const reminders = all.filter(({ content }) => String(content).startsWith('Reminder'))
      expect(messages.filter(({ content }) => String(content).startsWith('Reminder'))).toEqual(reminders)
      const offloader = new ContextOffloader({ storage })
      const expanded = await expandHistory(messages, { offloader, format: openAIChat<ChatMessage>() })
      expect(expanded).toEqual({ messages: all, missing: [] })
      history = retained(messages, history)
    }
  })

  it.each<[string, (history: ChatMessage[]) => ChatMessage[]]>([
    [
      'the newest messages get cache marks',
      (all) => [...all.slice(0, -6), ...all.slice(-6).map((message) => ({ ...message, mark: 'cache' }))],
    ],
    [
      'a reminder is the last message',
      (all) => [...all, { role: 'user', content: `You have made ${all.length} steps.` }],
    ],
  ])('reuses its result if, at each call, %s', async (_, change) => {
    let asked = 0
    const summarize = async (): Promise<string> => snapshot(`goal ${(asked += 1)}`)
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'), {
      mode: 'auto',
      summarize,
      maxToolMessageTokens: 5_000,
    })
    const history = begin()
    const sent: (readonly ChatMessage[])[] = []
    for (let count = 0; count < 30; count++) {
      const { messages } = await compactor.compact(change(copy(history)))
      expect(JSON.stringify(messages).split('"mark"').length).toBeLessThan(8)
      sent.push(messages.filter(({ role, content }) => role === 'tool' || content === null))
      history.push(...step(`call_${count}`))
    }
    expect(asked).toBeGreaterThan(3)
    expect(asked).toBeLessThan(12)
    const unmarked = sent.map((messages) => messages.map((message) => ({ ...message, mark: undefined })))
    expect(breaks(unmarked)).toBeLessThan(12)
  })

  it('removes a cache mark that a program has removed', async () => {
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'), {
      maxTotalTokens: 3_000,
    })
    const history: (ChatMessage & { mark?: string })[] = begin()
    for (let count = 0; count < 30; count++) {
      for (const message of history) delete message.mark
      for (const message of history.slice(-5)) message.mark = 'cache'
      const { messages } = await compactor.compact(history)
      expect(messages.map((message) => 'mark' in message).indexOf(true)).toBe(Math.max(0, history.length - 5))
      history.push(...step(`call_${count}`))
    }
  })

  it('requests only one summary for the common start of two conversations', async () => {
    let asked = 0
    const summarize = async (): Promise<string> => snapshot(`goal ${(asked += 1)}`)
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'), {
      mode: 'compress',
      summarize,
    })
    const history = begin()
    await live(compactor, 12, history)
    const before = asked
    const [one, two] = [copy(history), copy(history)]
    one.push({ role: 'user', content: 'Look here.' })
    two.push({ role: 'user', content: 'Look there.' })
    const sent = [await compactor.compact(one), await compactor.compact(two), await compactor.compact(one)]
    expect(asked).toBe(before)
    expect(new Set(sent.map(({ messages }) => messages[0]?.content)).size).toBe(1)
    for (let count = 12; asked === before; count++) await live(compactor, 1, one, count)
    const { messages } = await compactor.compact([...two, ...step('call_other')])
    expect(asked).toBe(before + 1)
    expect(messages[0]?.content).toBe(sent[0]?.messages[0]?.content)
  })

  it('distinguishes the conversations of one session, and detects changed conversations', async () => {
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    const [one, two] = [
      begin(),
      [
        { role: 'system', content: 'Another.' },
        { role: 'user', content: 'Look.' },
      ] as ChatMessage[],
    ]
    const sent: (readonly ChatMessage[])[] = []
    for (let count = 0; count < 20; count++) {
      sent.push((await compactor.compact(copy(one))).messages)
      await compactor.compact(copy(two))
      one.push(...step(`call_${count}`))
      two.push(...step(`other_${count}`))
    }
    expect(JSON.stringify(sent)).toBe(
      JSON.stringify(await live(compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a')), 20)),
    )
    const edited = one.toSpliced(1, 1, { role: 'user', content: 'Find something else.' })
    const { messages } = await compactor.compact(edited)
    expect(messages[1]).toEqual({ role: 'user', content: 'Find something else.' })
  })

  it('notices text added to an earlier message', async () => {
    const messages: { role: string; content: unknown }[] = [
      { role: 'user', content: 'Find it.' },
      { role: 'assistant', content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })) },
    ]
    const results = [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }]
    messages.push({ role: 'user', content: results })
    const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
    const compactor = new HistoryCompactor({
      offloader,
      format: anthropicMessages<(typeof messages)[number]>(),
      mode: 'compact',
      maxTotalTokens: 2_000,
      maxToolMessageTokens: 500,
    })
    const first = await compactor.compact({ messages })
    expect(first.tokens.before).toBeLessThan(100)
    results.push({ type: 'tool_result', tool_use_id: 'b', content: text('b', 1_000) })
    messages.push({ role: 'assistant', content: 'Found.' }, { role: 'user', content: 'Thanks.' })
    const second = await compactor.compact({ messages })
    expect(second.tokens.before).toBeGreaterThan(2_000)
    expect(second.applied).toEqual(['compact'])
    expect(second.fits).toBe(true)
    const expanded = await expandHistory(second.messages, { offloader, format: anthropicMessages() })
    expect(expanded.messages).toEqual({ messages })
  })

  it('records uses of referenced entries, so that a storage with eviction by turns keeps them', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: 6 }).scope('a')
    const compactor = compactorOver(storage)
    const history = begin()
    let last: readonly ChatMessage[] = []
    for (let count = 0; count < 40; count++) {
      last = (await compactor.compact(history)).messages
      await storage.endTurn!()
      history.push(...step(`call_${count}`))
    }
    const offloader = new ContextOffloader({ storage })
    const { missing } = await expandHistory(last, { offloader, format: openAIChat<ChatMessage>() })
    expect(missing).toEqual([])
  })

  it('stops sending requests for a new history to an unavailable storage', async () => {
    let stores = 0
    const error = new StorageError('unavailable', 'The storage is out of reach.')
    const down: Storage = {
      store: () => {
        stores += 1
        return Promise.reject(error)
      },
      retrieve: () => Promise.reject(error),
    }
    const history = [...begin(), ...Array.from({ length: 100 }, (_, count) => step(`call_${count}`)).flat()]
    const outcome = await compactorOver(down).compact(history)
    expect(outcome.messages).toBe(history)
    expect(outcome.fits).toBe(false)
    expect(stores).toBeLessThan(20)
  })

  it('reads a long new history only once, even if all its calls have the same id', async () => {
    const history = begin()
    for (let count = 0; count < 4_000; count++) history.push(...step('call', 'ok, and nothing to be made smaller'))
    // All messages with this id stay together, because results before their call cannot be assigned to one call.
    history.splice(2, 1)
    let read = 0
    const format = openAIChat<ChatMessage>()
    const counting = (messages: ChatMessage[]): HistoryMessage[] =>
      format.read(messages).map((message) => ({
        ...message,
        get parts() {
          read += 1
          return message.parts
        },
      }))
    const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
    const compactor = new HistoryCompactor({ offloader, format: { ...format, read: counting }, mode: 'compact' })
    const { applied, fits } = await compactor.compact(history)
    expect({ applied, fits }).toEqual({ applied: [], fits: false })
    expect(read).toBeLessThan(100 * history.length)
  })

  it('processes parallel calls one after another', async () => {
    const compactor = compactorOver(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    const history = [...begin(), ...Array.from({ length: 15 }, (_, count) => step(`call_${count}`)).flat()]
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => compactor.compact(history)))
    expect(new Set(outcomes.map(({ messages }) => JSON.stringify(messages))).size).toBe(1)
  })

  it('reports each pass by an event that has no content', async () => {
    const events: unknown[] = []
    const offloader = new ContextOffloader({
      storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a'),
      onEvent: (event) => void events.push(event),
    })
    const compactor = new HistoryCompactor({
      offloader,
      format: openAIChat<ChatMessage>(),
      mode: 'compact',
      maxTotalTokens: 8_000,
      maxToolMessageTokens: 500,
    })
    await live(compactor, 12)
    expect(events).toMatchObject([
      { type: 'history', applied: ['compact'], fits: true, tokens: { limit: 8_000 }, failures: 0 },
    ])
    expect(JSON.stringify(events)).not.toContain('is ok')
  })
})

interface AnthropicMessage {
  role: string
  content: unknown
}

const toolResult = (text: string): object => ({
  type: 'tool_result',
  tool_use_id: 'a',
  content: [{ type: 'text', text }],
})

const read = (message: AnthropicMessage): HistoryMessage =>
  anthropicMessages<AnthropicMessage>().read({ messages: [message] })[0]!

describe('isSameContent', () => {
  it('recognizes the same object and a copy of it', () => {
    const message = { role: 'user', content: [toolResult('ok'), { type: 'text', text: 'Go on.' }] }
    expect(isSameContent(read(message), read(message))).toBe(true)
    expect(isSameContent(read(message), read(structuredClone(message)))).toBe(true)
  })

  it('distinguishes different messages, even if only fields of their API differ', () => {
    const one = read({ role: 'user', content: [toolResult('ok')] })
    expect(isSameContent(one, read({ role: 'user', content: [toolResult('other')] }))).toBe(false)
    expect(isSameContent(one, read({ role: 'user', content: [{ ...toolResult('ok'), cache_control: {} }] }))).toBe(true)
    expect(isSameContent(one, { ...one, role: 'assistant' })).toBe(false)
  })

  it.each<[string, (message: { role: string; content: object[] }) => void]>([
    ['a text', ({ content }) => void Object.assign(content[0]!, { content: 'another' })],
    [
      'an inner text',
      ({ content }) =>
        void Object.assign((content[0] as AnthropicMessage).content as object[], [{ type: 'text', text: 'x' }]),
    ],
    ['a field', ({ content }) => void Object.assign(content[0]!, { is_error: true })],
    ['an added part', ({ content }) => void content.push(toolResult('more'))],
    ['a removed part', ({ content }) => void content.pop()],
  ])('detects a change by %s in the same object', (_, change) => {
    const message = { role: 'user', content: [toolResult('ok')] }
    const before = read(message)
    change(message)
    expect(isSameContent(before, read(message))).toBe(false)
  })
})

describe('rebaseMessage', () => {
  interface AnthropicMessage {
    readonly role: string
    readonly content: readonly object[]
  }

  const format = anthropicMessages<AnthropicMessage>()

  const mark = { cache_control: { type: 'ephemeral' } }

  const call = (input: object, more: object = {}): object => ({
    type: 'tool_use',
    id: 'a',
    name: 'read',
    input,
    ...more,
  })

  const result = (content: string, more: object = {}): object => ({
    type: 'tool_result',
    tool_use_id: 'a',
    content,
    ...more,
  })

  it.each<[string, string, object, object, object]>([
    ['a result', 'user', result('short', mark), result('long'), result('short')],
    ['a result with a new mark', 'user', result('short'), result('long', mark), result('short', mark)],
    ['arguments', 'assistant', call({ path: '…' }, mark), call({ path: 'a.ts' }), call({ path: '…' })],
    [
      'a text',
      'user',
      { type: 'text', text: 'short', ...mark },
      { type: 'text', text: 'long' },
      { type: 'text', text: 'short' },
    ],
    ['an unchanged result', 'user', result('ok', mark), result('ok'), result('ok')],
  ])('gives %s the current cache marks', (_, role, changed, now, expected) => {
    const before = { role, content: [result('first'), changed] }
    const read = format.read({ messages: [before, { role, content: [result('first'), now] }] })
    const { messages } = format.write([rebaseMessage(read[0]!, read[1]!)])
    expect(JSON.stringify(messages)).toBe(JSON.stringify([{ role, content: [result('first'), expected] }]))
  })

  it('returns a message with equal content unchanged, and ignores a message with other parts', () => {
    const [one, same, other] = format.read({
      messages: [
        { role: 'user', content: [result('ok', mark)] },
        { role: 'user', content: [result('ok')] },
        { role: 'user', content: [result('ok'), result('more')] },
      ],
    })
    expect(rebaseMessage(one!, same!)).toBe(same)
    expect(rebaseMessage(one!, other!)).toBe(one)
  })
})
