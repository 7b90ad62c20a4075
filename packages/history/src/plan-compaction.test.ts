import { expect, it } from 'vitest'
import { InMemoryStorage } from '@spillway/memory'
import { ContextOffloader } from '@spillway/core'
import { compactHistory } from './compact-history.ts'
import type { HistoryMessage } from './history-message.ts'
import { planCompaction } from './plan-compaction.ts'

const say = (role: 'system' | 'user' | 'assistant', text: string): HistoryMessage => ({
  role,
  parts: [{ type: 'text', text }],
})
const step = (id: string, lines: number): HistoryMessage[] => [
  { role: 'assistant', parts: [{ type: 'tool-call', id, name: 'read', input: {}, inputIsText: false }] },
  {
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        callId: id,
        toolName: 'read',
        content: [{ type: 'text', text: 'a line of it\n'.repeat(lines) }],
      },
    ],
  },
]
const MESSAGES = [
  say('system', 'You help.'),
  say('user', 'Find it.'),
  ...step('a', 3_000),
  ...step('b', 3_000),
  ...step('c', 100),
]

it('runs compaction without storing anything', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
  const offloader = new ContextOffloader({ storage })
  const summarize = (): Promise<string> => Promise.reject(new Error('A plan asks no model.'))
  const options = { offloader, summarize, maxTotalTokens: 10_000 }
  const plan = await planCompaction(MESSAGES, options)
  expect(plan.isOver).toBe(true)
  expect(plan.messages.map(({ action }) => action)).toEqual([
    'keep',
    'keep',
    'keep',
    'compact',
    'keep',
    'compact',
    'keep',
    'keep',
  ])
  expect(plan.groups).toEqual([])
  expect(await Array.fromAsync(storage.list!())).toEqual([])
  const outcome = await compactHistory(MESSAGES, options)
  expect(plan.tokens.before).toBe(outcome.tokens.before)
  expect(Math.abs(plan.tokens.estimatedAfter - outcome.tokens.after)).toBeLessThan(200)
})

it('groups the messages of each summary', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
  const plan = await planCompaction(MESSAGES, {
    offloader,
    summarize: async () => '',
    mode: 'compress',
    groupTokens: 9_000,
  })
  expect(plan.groups).toEqual([
    [2, 3],
    [4, 5],
  ])
  expect(plan.messages[1]).toMatchObject({ action: 'keep', reason: 'request' })
  const without = await planCompaction(MESSAGES, { offloader, mode: 'compress' })
  expect(without.groups).toEqual([])
  expect(without.messages[3]).toMatchObject({ action: 'keep', reason: 'no-summarize' })
})

it('shortens a request if the summary is not enough', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
  const summarize = async (): Promise<string> =>
    '<state_snapshot><overall_goal>Find it</overall_goal><key_knowledge>None yet</key_knowledge></state_snapshot>'
  const long = say('user', 'Find this in it, please.\n'.repeat(3_000))
  const messages = MESSAGES.with(1, long)
  const options = { offloader: new ContextOffloader({ storage }), summarize, maxTotalTokens: 10_000 }
  for (const mode of ['compress', 'auto'] as const) {
    const plan = await planCompaction(messages, { ...options, mode })
    expect(plan.messages[1]).toMatchObject({ action: 'compact', reason: 'compacted' })
    expect(await Array.fromAsync(storage.list!())).toEqual([])
  }
  const plan = await planCompaction(messages, { ...options, mode: 'compress' })
  const outcome = await compactHistory(messages, { ...options, mode: 'compress' })
  expect(outcome.statistics[1]).toMatchObject({ reason: plan.messages[1]?.reason })
  expect(outcome.fits).toBe(true)
  // A summary as short as this one is rare.
  expect(plan.tokens.estimatedAfter).toBeGreaterThan(outcome.tokens.after)
  expect(plan.tokens.estimatedAfter).toBeLessThan(10_000)
})

it('keeps a request if the summary is enough', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
  const messages = MESSAGES.with(1, say('user', 'Find this in it, please.\n'.repeat(500)))
  const plan = await planCompaction(messages, { offloader, summarize: async () => '', mode: 'compress' })
  expect(plan.messages[1]).toMatchObject({ action: 'keep', reason: 'request' })
})

it('plans nothing within the limit', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }).scope('a') })
  const plan = await planCompaction(MESSAGES, { offloader, maxTotalTokens: 1_000_000 })
  expect(plan.isOver).toBe(false)
  expect(plan.messages.every(({ action, reason }) => action === 'keep' && reason === 'within-limits')).toBe(true)
  expect(plan.tokens.estimatedAfter).toBe(plan.tokens.before)
})
