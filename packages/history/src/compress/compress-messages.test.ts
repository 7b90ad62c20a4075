import { ContextOffloader, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { assistant, step, system, user, type ChatMessage } from '../../test/chat-messages.ts'
import { compactHistory } from '../compact-history.ts'
import { expandHistory, type ExpandedHistory } from '../expand-history.ts'
import { aiSdkMessages } from '../formats/ai-sdk-messages.ts'
import { openAIChat } from '../formats/openai-chat.ts'
import type { HistoryOptions, Summarize, SummaryRequest } from '../history-options.ts'
import type { HistoryOutcome } from '../history-outcome.ts'

const words = (topic: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${topic} fact number ${index} is so.`).join(' ')

const snapshotOf = (goal: string, more = ''): string =>
  `<state_snapshot>\n<overall_goal>${goal}</overall_goal>\n<key_knowledge>${more || 'nothing new'}</key_knowledge>\n</state_snapshot>`

/** A model that returns prepared answers and records the requests. */
function scripted(...answers: (string | Error | Promise<string>)[]): { summarize: Summarize; asked: SummaryRequest[] } {
  const asked: SummaryRequest[] = []
  return {
    asked,
    async summarize(request) {
      asked.push(request)
      const answer = answers[asked.length - 1] ?? answers.at(-1)
      if (answer instanceof Error) throw answer
      return answer ?? ''
    },
  }
}

function bench(storage: Storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')) {
  const offloader = new ContextOffloader({ storage })
  const format = openAIChat<ChatMessage>()
  return {
    storage,
    compress: (
      messages: readonly ChatMessage[],
      options: Partial<HistoryOptions<readonly ChatMessage[]>>,
    ): Promise<HistoryOutcome<readonly ChatMessage[]>> =>
      compactHistory(messages, { offloader, format, mode: 'compress', maxTotalTokens: 1_000, ...options }),
    expand: (messages: readonly ChatMessage[]): Promise<ExpandedHistory<readonly ChatMessage[]>> =>
      expandHistory(messages, { offloader, format }),
  }
}

/** A conversation with a question and an answer of about 1,000 tokens in each round. */
const dialogue = (turns: number): ChatMessage[] => [
  system('You help.'),
  ...Array.from({ length: turns }, (_, turn) => [
    user(`Question ${turn}?`),
    assistant(words(`topic ${turn}`, 100)),
  ]).flat(),
]

describe('compress', () => {
  it('adds a summary of older messages to the end of the system message, and keeps the recent messages', async () => {
    const { compress, expand } = bench()
    const messages = dialogue(4)
    const { summarize, asked } = scripted(snapshotOf('Learn about topics', 'topic 0 is so'))
    const outcome = await compress(messages, { summarize, maxTotalTokens: 3_000 })
    expect(outcome.applied).toEqual(['compress'])
    expect(outcome.fits).toBe(true)
    expect(outcome.messages).toHaveLength(3)
    expect(outcome.messages[0]?.content).toMatch(
      /^You help\.\n\n<state_snapshot>\n<overall_goal>Learn about topics<\/overall_goal>\n<key_knowledge>topic 0 is so<\/key_knowledge>\n<\/state_snapshot>\n\[Compressed: 6 messages, ~[\d,]+ tokens\]\n/,
    )
    expect(outcome.messages[0]?.content).toMatch(
      /\n {2}history_messages_[a-z2-7]{20} \(messages, [\d,]+ bytes, 6 messages\)$/,
    )
    expect(outcome.messages.slice(1)).toEqual(messages.slice(7))
    expect(outcome.messages[1]).toBe(messages[7])
    expect(asked).toHaveLength(1)
    expect(asked[0]?.prompt).toContain('topic 2 fact number 99 is so.')
    expect(asked[0]?.prompt).not.toContain('Question 3?')
    expect(outcome.statistics.map(({ reason }) => reason)).toEqual([
      'system',
      ...Array<string>(6).fill('compressed'),
      'recent',
      'recent',
    ])
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it('adds a system message to a history without a system message, and expandHistory removes it', async () => {
    const { compress, expand } = bench()
    const messages = dialogue(4).slice(1)
    const outcome = await compress(messages, { summarize: scripted(snapshotOf('Learn')).summarize })
    expect(outcome.messages[0]).toMatchObject({ role: 'system' })
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it('keeps the last request before the recent messages in place, and never separates a call from its result', async () => {
    const { compress, expand } = bench()
    const messages = [
      system('You help.'),
      user('Older request'),
      ...step('a', words('a', 100)),
      user('Find the fault.'),
      ...step('b', words('b', 100)),
      ...step('c', words('c', 100)),
      ...step('d', words('d', 20)),
    ]
    const { summarize, asked } = scripted(snapshotOf('Find the fault'))
    const outcome = await compress(messages, { summarize, keepRecent: 1 })
    expect(outcome.messages.slice(1)).toEqual([messages[4], ...messages.slice(9)])
    expect(outcome.statistics[4]).toMatchObject({ reason: 'request' })
    expect(outcome.messages[0]?.content).toMatch(/8 messages, kept 4\)$/)
    expect(asked[0]?.prompt).toContain('Find the fault.')
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it('merges the existing snapshot into the new snapshot, and can restore the messages of all snapshots', async () => {
    const { compress, expand } = bench()
    let live: readonly ChatMessage[] = [system('You help.'), user('Find the fault.')]
    const whole = [...live]
    const { summarize, asked } = scripted(
      ...Array.from({ length: 12 }, (_, round) => snapshotOf(`Goal of round ${round}`)),
    )
    for (let round = 0; round < 12; round++) {
      const added = [...step(`x${round}`, words(`x${round}`, 60)), ...step(`y${round}`, words(`y${round}`, 60))]
      if (round % 4 === 3) added.push(user(`Now request ${round}`), ...step(`z${round}`, 'short'))
      whole.push(...added)
      const outcome = await compress([...live, ...added], { summarize, keepRecent: 1 })
      expect(outcome.applied).toEqual(['compress'])
      live = outcome.messages
      expect(String(live[0]?.content).match(/<state_snapshot>/g)).toHaveLength(1)
      expect(live[0]?.content).toContain(`Goal of round ${round}`)
      expect(await expand(live)).toEqual({ messages: whole, missing: [] })
    }
    expect(asked[5]?.previousSnapshot).toContain('Goal of round 4')
    expect(asked[5]?.prompt).toContain('Goal of round 4')
    // The list of groups has a largest size.
    expect(String(live[0]?.content).match(/\(messages, /g)!.length).toBeLessThanOrEqual(8)
  })

  it('summarizes groups one after another, each with the snapshot of the groups before it', async () => {
    const { compress, expand } = bench()
    const messages = dialogue(8)
    const { summarize, asked } = scripted(...Array.from({ length: 9 }, (_, n) => snapshotOf(`goal ${n}`)))
    const outcome = await compress(messages, { summarize, groupTokens: 2_500 })
    expect(asked.length).toBeGreaterThan(2)
    expect(asked[1]?.previousSnapshot).toContain('goal 0')
    expect(outcome.messages[0]?.content).toContain(`goal ${asked.length - 1}`)
    expect(outcome.stored.map(({ kind }) => kind)).toEqual(Array(asked.length).fill('messages'))
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it('keeps summaries of earlier groups if the summary of a later group fails', async () => {
    const { compress, expand } = bench()
    const messages = dialogue(8)
    const { summarize } = scripted(snapshotOf('one'), snapshotOf('two'), new Error('The model is overloaded.'))
    const outcome = await compress(messages, { summarize, groupTokens: 2_500 })
    expect(outcome.applied).toEqual(['compress'])
    expect(outcome.failures).toMatchObject([
      { step: 'summarize', reason: 'model-failed', error: { message: 'The model is overloaded.' } },
    ])
    expect(outcome.messages.length).toBeGreaterThan(5)
    expect(outcome.messages.length).toBeLessThan(messages.length)
    expect(outcome.statistics.filter(({ reason }) => reason === 'summary-failed').length).toBeGreaterThan(2)
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it.each<[string, string, string | Promise<string>]>([
    ['nothing', 'no-snapshot', ''],
    ['a greeting', 'no-snapshot', 'Hello! How can I help you today?'],
    ['a snapshot without its end', 'no-snapshot', '<state_snapshot><overall_goal>x</overall_goal>'],
    ['a snapshot in another snapshot', 'no-snapshot', `${snapshotOf('x')}${snapshotOf('y')}`],
    ['a snapshot without a goal', 'incomplete', '<state_snapshot><key_knowledge>x</key_knowledge></state_snapshot>'],
    ['a snapshot with an empty goal', 'incomplete', snapshotOf(' \n')],
    ['larger than the messages', 'not-smaller', snapshotOf('goal', words('again', 900))],
    [
      'a snapshot with an invented reference',
      'unknown-reference',
      snapshotOf('goal', 'see call_7_0_abcdefghijklmnopqrst'),
    ],
    ['a number', 'no-snapshot', 7 as never],
  ])('rejects a summary that is %s, and keeps the messages', async (_, reason, answer) => {
    const { compress, storage } = bench()
    const messages = dialogue(4)
    const outcome = await compress(messages, { summarize: async () => answer })
    expect(outcome.messages).toBe(messages)
    expect(outcome).toMatchObject({ applied: [], fits: false, failures: [{ step: 'summarize', reason }] })
    expect(await Array.fromAsync(storage.list!())).toEqual([])
  })

  it('stops waiting for a model that does not answer', async () => {
    const { compress } = bench()
    const messages = dialogue(4)
    const { promise } = Promise.withResolvers<string>()
    const outcome = await compress(messages, { summarize: () => promise, summaryTimeoutMs: 30 })
    expect(outcome.messages).toBe(messages)
    expect(outcome.failures).toMatchObject([{ reason: 'timeout' }])
  })

  it('names the missing option if there is no model, and reports messages that are too short for a summary', async () => {
    const { compress } = bench()
    const messages = dialogue(4)
    const outcome = await compress(messages, {})
    expect(outcome.messages).toBe(messages)
    expect(outcome.obstacles.find(({ reason }) => reason === 'no-summarize')?.explanation).toContain('summarize')
    const { summarize, asked } = scripted(snapshotOf('x'))
    const little = await compress([user('Hi.'), assistant('Hello.'), user(words('long', 300))], {
      summarize,
      keepRecent: 1,
    })
    expect(asked).toEqual([])
    expect(little.obstacles).toMatchObject([{ index: 2, reason: 'recent' }])
  })

  it('replaces the last request of the user by a reference if the request is too large', async () => {
    const { compress, expand } = bench()
    const log = words('log', 600)
    const messages = [user(`Explain this: ${log}`), ...step('a', words('a', 100)), ...step('b', 'ok')]
    const outcome = await compress(messages, {
      summarize: scripted(snapshotOf('Explain the log')).summarize,
      keepRecent: 1,
    })
    expect(outcome.fits).toBe(true)
    expect(outcome.messages[1]?.content).toMatch(
      /^\[Offloaded: 1 block, ~[\d,]+ tokens\]\nThis message was moved to storage/,
    )
    expect(await expand(outcome.messages)).toEqual({ messages, missing: [] })
  })

  it('runs in mode auto if compacting is not enough, continues from the compacted history, and can be undone', async () => {
    const { compress, expand } = bench()
    const lines = Array.from({ length: 900 }, (_, line) => `line ${line} of the log`).join('\n')
    const messages = [
      system('You help.'),
      ...dialogue(6).slice(1),
      ...step('a', lines),
      user('Go on.'),
      assistant('Yes.'),
    ]
    const { summarize, asked } = scripted(snapshotOf('Learn'))
    const auto = await compress(messages, { summarize, mode: 'auto', maxTotalTokens: 3_000, maxToolMessageTokens: 500 })
    expect(auto.applied).toEqual(['compact', 'compress'])
    expect(auto.fits).toBe(true)
    expect(asked[0]?.prompt).toContain('[Offloaded: 1 block')
    expect(asked[0]?.prompt).not.toContain('line 450 of the log')
    expect(await expand(auto.messages)).toEqual({ messages, missing: [] })
    const failed = await compress(messages, {
      summarize: async () => '',
      mode: 'auto',
      maxTotalTokens: 3_000,
      maxToolMessageTokens: 500,
    })
    expect(failed.applied).toEqual(['compact'])
    const enough = await compress(messages, {
      summarize,
      mode: 'auto',
      maxTotalTokens: 9_000,
      maxToolMessageTokens: 500,
      compactRatioThreshold: 1,
    })
    expect(enough.applied).toEqual(['compact'])
  })

  it('accepts words that look like references if the messages contain them', async () => {
    const { compress } = bench()
    const name = 'enable_internationalization'
    const messages = [user(`Set ${name}.`), assistant(words('x', 200)), user('More.'), assistant('Fine.')]
    const outcome = await compress(messages, { summarize: scripted(snapshotOf(`Set ${name}`)).summarize })
    expect(outcome.failures).toEqual([])
    const invented = await compress(messages, { summarize: scripted(snapshotOf(`Set un${name}`)).summarize })
    expect(invented.failures).toMatchObject([{ step: 'summarize', reason: 'unknown-reference' }])
  })

  it('leaves system messages between other messages in place through all summaries', async () => {
    const { compress, expand } = bench()
    const { summarize } = scripted(snapshotOf('Go on'))
    const all: ChatMessage[] = [user('Begin.')]
    let messages: readonly ChatMessage[] = [...all]
    for (let turn = 0; turn < 30; turn++) {
      const more = [
        ...(turn % 4 === 1 ? [system(`Reminder ${turn}.`)] : []),
        user(`Question ${turn}?`),
        assistant(words(`topic ${turn}`, 30)),
      ]
      all.push(...more)
      const outcome = await compress([...messages, ...more], { summarize, groupTokens: turn % 3 === 0 ? 300 : 0 })
      messages = outcome.messages
      expect(messages.filter(({ content }) => String(content).startsWith('Reminder'))).toHaveLength((turn + 3) >> 2)
      expect(await expand(messages)).toEqual({ messages: all, missing: [] })
    }
  })

  it.each([1_500.5, 2 ** 31, 2 ** 33, Number.MAX_VALUE])(
    'accepts %d milliseconds as the summary timeout',
    async (summaryTimeoutMs) => {
      const { compress } = bench()
      const answer = new Promise<string>((resolve) => setTimeout(resolve, 20, snapshotOf('Go on')))
      const outcome = await compress(dialogue(4), { summarize: scripted(answer).summarize, summaryTimeoutMs })
      expect(outcome.failures).toEqual([])
      expect(outcome.applied).toEqual(['compress'])
    },
  )

  it('keeps values that JSON cannot express, and reports them as failures instead of throwing', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    let deep: unknown = 1
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    const throwing = {
      toJSON: () => {
        throw new Error('It has no JSON.')
      },
    }
    for (const [value, applied] of [
      [{ id: 1n }, ['compress']],
      [cycle, []],
      [deep, []],
      [throwing, []],
    ] as const) {
      const messages = [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'json', value } }],
        },
        assistant(words('x', 200)),
        user('More.'),
        assistant('Fine.'),
      ]
      const { summarize } = scripted(snapshotOf('Go on'))
      const options = { offloader, format: aiSdkMessages(), summarize, maxTotalTokens: 1_000 }
      const outcome = await compactHistory(messages, { ...options, mode: 'compress' })
      expect(outcome.applied).toEqual(applied)
      expect(outcome.failures.map(({ step }) => step)).toEqual(applied.length === 0 ? ['store'] : [])
    }
  })

  it('counts only the start of a very long answer', async () => {
    let longest = 0
    const countTokens = (text: string): number => {
      longest = Math.max(longest, text.length)
      return Math.ceil(text.length / 4)
    }
    const offloader = new ContextOffloader({
      storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a'),
      countTokens,
    })
    const { summarize } = scripted(snapshotOf('Go on', 'so it is. '.repeat(1_000_000)))
    const options = { offloader, format: openAIChat<ChatMessage>(), summarize, maxTotalTokens: 1_000 }
    const outcome = await compactHistory(dialogue(4), { ...options, mode: 'compress' })
    expect(outcome.failures).toMatchObject([{ step: 'summarize', reason: 'not-smaller' }])
    expect(longest).toBeLessThan(200_000)
  })

  it('uses a fence that the messages do not contain, even if they contain other fences', async () => {
    const { compress } = bench()
    const marks = Array.from({ length: 20_000 }, (_, number) => (number === 0 ? 'record' : `record_${number}`))
    const { summarize, asked } = scripted(snapshotOf('Go on'))
    const many = [user('Go.'), assistant(marks.join(' ')), user('More.'), assistant('Fine.')]
    await compress(many, { summarize, maxSummaryInputTokens: 200_000 })
    expect(asked[0]?.prompt).toContain('<<< record_20000\n')
    const few = [user('record, record_12 and record_3'), assistant(words('x', 200)), user('More.'), assistant('Fine.')]
    await compress(few, { summarize })
    expect(asked[1]?.prompt).toContain('<<< record_2\n')
  })

  it('adds the instructions of the options to the prompt, and cuts long texts in the middle', async () => {
    const { compress } = bench()
    const messages = [
      user('First.'),
      assistant(`start ${words('middle', 3_000)} end`),
      user('Next.'),
      assistant('Fine.'),
    ]
    const { summarize, asked } = scripted(snapshotOf('x'))
    await compress(messages, { summarize, instructions: 'Keep all names of customers.', maxSummaryInputTokens: 500 })
    expect(asked[0]?.prompt).toContain('Keep all names of customers.')
    expect(asked[0]?.prompt).toMatch(/start middle fact[^]*characters are left out here[^]*is so\. end/)
    expect(asked[0]!.prompt.length).toBeLessThan(6_000)
  })
})
