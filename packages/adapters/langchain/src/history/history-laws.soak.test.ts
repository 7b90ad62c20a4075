import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { ContextOffloader } from '@spillway/core'
import { compactHistory, expandHistory, HistoryCompactor } from '@spillway/core/history'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { histories } from '../../test/history/generated-messages.ts'
import { langchainMessages } from './langchain-messages.ts'

const RUNS = process.env['SPILLWAY_SOAK'] === undefined ? 60 : 2_000
const TIMEOUT_MS = 60_000 + RUNS * 200

const format = langchainMessages()
/** What a model may do that is asked for a summary. */
const MODELS = {
  good: async () =>
    '<state_snapshot><overall_goal>Go on.</overall_goal><key_knowledge>all</key_knowledge></state_snapshot>',
  failing: () => Promise.reject(new Error('overloaded')),
  chatting: async () => 'Hello!',
}
const models = fc.constantFrom(...(Object.keys(MODELS) as (keyof typeof MODELS)[]))
const limits = fc.record({
  mode: fc.constantFrom('compact', 'compress', 'auto'),
  maxTotalTokens: fc.constantFrom(1, 200, 1_000, 3_000),
  maxToolMessageTokens: fc.constantFrom(1, 20, 300),
  keepRecent: fc.constantFrom(undefined, 0, 1, 3),
  groupTokens: fc.constantFrom(0, 300),
})
const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })

/** Expect equal messages, of the same classes and with the same fields. */
function expectSame(actual: readonly BaseMessage[], expected: readonly BaseMessage[]): void {
  const describe = (messages: readonly BaseMessage[]): unknown =>
    messages.map((message) => [message.constructor.name, Object.entries(message)])
  if (!isDeepStrictEqual(describe(actual), describe(expected))) expect(describe(actual)).toEqual(describe(expected))
}

/** Say what providers refuse: a call without its result right behind it, and a result without its call. */
function problemOf(messages: readonly BaseMessage[]): string {
  let open = new Set<string | undefined>()
  for (const [index, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) {
      if (!open.delete(message.tool_call_id)) return `a result of no call at ${index}`
      continue
    }
    if (open.size > 0) return `a call without a result before ${index}`
    if (AIMessage.isInstance(message)) open = new Set(message.tool_calls?.map(({ id }) => id))
  }
  return open.size > 0 ? 'a call without a result at the end' : ''
}

it(
  'histories stay valid and whole, and fit or say why not, whatever the model does',
  async () => {
    await fc.assert(
      fc.asyncProperty(histories(), limits, models, async (messages, given, model) => {
        const offloader = create()
        const options = { offloader, format, summarize: MODELS[model], ...given }
        const outcome = await compactHistory<readonly BaseMessage[]>(messages, options)
        expect(problemOf(outcome.messages)).toBe('')
        expect(outcome.failures.filter(({ step }) => step === 'store')).toEqual([])
        expect(outcome.fits).toBe(outcome.tokens.after <= outcome.tokens.limit)
        expect(outcome.obstacles.length > 0).toBe(!outcome.fits)
        const expanded = await expandHistory(outcome.messages, { offloader, format })
        expect(expanded.missing).toEqual([])
        expectSame(expanded.messages, messages)
        if (given.mode === 'compress') return
        const again = await compactHistory(outcome.messages, { ...options, summarize: undefined })
        expectSame(again.messages, outcome.messages)
      }),
      { numRuns: RUNS },
    )
  },
  TIMEOUT_MS,
)

it(
  'they stay so through all calls of a loop that hands over the whole history each time',
  async () => {
    await fc.assert(
      fc.asyncProperty(histories(), limits, models, async (messages, given, model) => {
        const offloader = create()
        const compactor = new HistoryCompactor({ offloader, format, summarize: MODELS[model], ...given })
        for (const [index, message] of messages.entries()) {
          const history = messages.slice(0, index)
          if (message.type !== 'ai' || problemOf(history) !== '') continue
          const outcome = await compactor.compact(history)
          expect(problemOf(outcome.messages)).toBe('')
          const expanded = await expandHistory(outcome.messages, { offloader, format })
          expectSame(expanded.messages, history)
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  },
  TIMEOUT_MS,
)
