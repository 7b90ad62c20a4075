import { propertyRuns } from '@spillway-internal/test-run'
import { testPreviewers } from '@spillway-internal/test-run/test-previewers'
import { ContextOffloader } from '@spillway/core'
import { compactHistory, expandHistory, HistoryCompactor, type HistoryFormat } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const WHOLE = propertyRuns(30, 2_000)
const LOOP = propertyRuns(15, 700)
const TIMEOUT_MS = 120_000 + WHOLE.numRuns * 1_000

/** Possible answers of a model to a request for a summary. */
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
const create = (): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }), previewers: testPreviewers })

/** A message format of a framework, with generators and checks for its conversations. */
export interface HistoryLawsSubject<Message> {
  readonly format: HistoryFormat<readonly Message[]>
  /** Generates conversations that the framework accepts. */
  readonly histories: fc.Arbitrary<readonly Message[]>
  /** Returns the reason why a provider would refuse a conversation; empty if providers accept it. */
  readonly problemOf: (messages: readonly Message[]) => string
  readonly isAnswer: (message: Message) => boolean
  /** Fails if the messages differ in anything that the framework preserves. */
  readonly expectSame: (actual: readonly Message[], expected: readonly Message[]) => void
}

/** Register tests of properties that the histories of every format have. */
export function describeHistoryLaws<Message>(name: string, subject: HistoryLawsSubject<Message>): void {
  const { format, histories, problemOf, isAnswer, expectSame } = subject

  describe(`histories of ${name}`, () => {
    it(
      'stay valid and complete, and fit or say why not, for any answer of the model',
      async () => {
        await fc.assert(
          fc.asyncProperty(histories, limits, models, async (messages, given, model) => {
            const offloader = create()
            const options = { offloader, format, summarize: MODELS[model], ...given }
            const outcome = await compactHistory(messages, options)
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
          WHOLE,
        )
      },
      TIMEOUT_MS,
    )

    it(
      'stay valid in a loop that passes the whole history each time',
      async () => {
        await fc.assert(
          fc.asyncProperty(histories, limits, models, async (messages, given, model) => {
            const offloader = create()
            const compactor = new HistoryCompactor({ offloader, format, summarize: MODELS[model], ...given })
            for (const [index, message] of messages.entries()) {
              const history = messages.slice(0, index)
              if (!isAnswer(message) || problemOf(history) !== '') continue
              const outcome = await compactor.compact(history)
              expect(problemOf(outcome.messages)).toBe('')
              const expanded = await expandHistory(outcome.messages, { offloader, format })
              expectSame(expanded.messages, history)
            }
          }),
          LOOP,
        )
      },
      TIMEOUT_MS,
    )
  })
}
