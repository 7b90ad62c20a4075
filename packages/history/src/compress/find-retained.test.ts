import { ContextOffloader, StorageError, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { compactHistory } from '../compact-history.ts'
import { expandHistory } from '../expand-history.ts'
import { openAIChat } from '../formats/openai-chat.ts'
import type { HistoryOutcome } from '../history-outcome.ts'

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly unknown[]
}

const words = (topic: string): string =>
  Array.from({ length: 200 }, (_, index) => `${topic} fact number ${index} is so.`).join(' ')

const user = (content: string): Message => ({ role: 'user', content })

const assistant = (content: string): Message => ({ role: 'assistant', content })

const step = (id: string): Message[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: words(id) },
]

const SUMMARY =
  '<state_snapshot><overall_goal>Go on</overall_goal><key_knowledge>all of it</key_knowledge></state_snapshot>'

const REQUESTS = ['first', 'second']

/** The request and the two system messages between the steps stay in the history. */
const HISTORY: Message[] = [
  { role: 'system', content: 'You help.' },
  user('Read it.'),
  ...step('call_1'),
  ...REQUESTS.map((name): Message => ({ role: 'system', content: `The ${name} reminder.` })),
  ...step('call_2'),
  ...step('call_3'),
  assistant('It is so.'),
]

const MORE: Message[] = [
  user('And now?'),
  ...step('call_4'),
  user('Thanks.'),
  assistant(words('x')),
  user('y'),
  assistant('z'),
]

function bench(storage: Storage, redact?: (text: string) => string) {
  const offloader = new ContextOffloader({ storage, redact })
  const options = { offloader, format: openAIChat<Message>() }
  const settings = { ...options, mode: 'compress', maxTotalTokens: 2_000, summarize: async () => SUMMARY } as const
  return {
    compress: (messages: Message[]): Promise<HistoryOutcome<Message[]>> => compactHistory(messages, settings),
    expand: async (messages: Message[]): Promise<Message[]> => {
      const { messages: all, missing } = await expandHistory(messages, options)
      expect(missing).toEqual([])
      return all
    },
  }
}

describe('a message that stays in the history beside a snapshot', () => {
  it('is restored only once, whether it is still in the history or was summarized later', async () => {
    const { compress, expand } = bench(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    const first = await compress(HISTORY)
    expect(first.messages[0]?.content).toMatch(/, kept 1, 4, 5\)$/)
    expect(await expand(first.messages)).toEqual(HISTORY)
    const second = await compress([...first.messages, ...MORE])
    expect(second.applied).toEqual(['compress'])
    expect(await expand(second.messages)).toEqual([...HISTORY, ...MORE])
  })

  it.each<[string, number, (retained: Message[]) => Message[]]>([
    ['the request', 1, ([request, ...rest]) => [user(`${request?.content} All of it.`), ...rest]],
    [
      'a system message between others',
      4,
      ([request, , last]) => [request!, { role: 'system', content: 'New.' }, last!],
    ],
  ])('is stored again if a program has changed it: %s', async (_, at, change) => {
    const { compress, expand } = bench(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    const [system, one, two, three, ...rest] = (await compress(HISTORY)).messages
    const changed = change([one!, two!, three!])
    const outcome = await compress([system!, ...changed, ...rest, ...MORE])
    expect(outcome.applied).toEqual(['compress'])
    const expanded = await expand(outcome.messages)
    expect(expanded).toHaveLength(HISTORY.length + MORE.length + 1)
    const added = changed.filter((message) => !HISTORY.some(({ content }) => content === message.content))
    expect(added).toHaveLength(1)
    expect(expanded).toContainEqual(added[0])
    expect(expanded).toContainEqual(HISTORY[at])
  })

  it('no longer hides the message at its position after a program has removed it', async () => {
    const { compress, expand } = bench(new InMemoryStorage({ evictAfterTurns: null }).scope('a'))
    const [system, , ...rest] = (await compress(HISTORY)).messages
    const outcome = await compress([system!, ...rest, ...MORE])
    expect(outcome.applied).toEqual(['compress'])
    expect(await expand(outcome.messages)).toEqual([...HISTORY, ...MORE])
  })

  it('is stored again if the messages that contain its reference were removed', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    const { compress } = bench(storage)
    const first = await compress(HISTORY)
    await storage.delete!(first.stored[0]!.name)
    const second = await compress([...first.messages, ...MORE])
    const group = await storage.retrieve(second.stored[0]!.name)
    expect(new TextDecoder().decode(group.content)).toContain('Read it.')
  })

  it('does not change if the storage is unavailable', async () => {
    const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
    const first = await bench(storage).compress(HISTORY)
    const error = new StorageError('unavailable', 'The storage is out of reach.')
    const down: Storage = { store: (...input) => storage.store(...input), retrieve: () => Promise.reject(error) }
    const messages = [...first.messages, ...MORE]
    const outcome = await bench(down).compress(messages)
    expect(outcome.messages).toBe(messages)
    expect(outcome.failures).toEqual([{ step: 'store', index: 1, error }])
    expect(outcome.obstacles[0]?.reason).toBe('store-failed')
  })

  it('is recognized even if redact removed a part of its stored copy', async () => {
    const { compress, expand } = bench(new InMemoryStorage({ evictAfterTurns: null }).scope('a'), (text) =>
      text.replaceAll('Read it.', '[gone]'),
    )
    const first = await compress(HISTORY)
    const second = await compress([...first.messages, ...MORE])
    const expanded = await expand(second.messages)
    expect(expanded.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      '[gone]',
      'And now?',
      'Thanks.',
      'y',
    ])
  })
})
