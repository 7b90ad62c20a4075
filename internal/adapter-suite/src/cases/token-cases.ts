import assert from 'node:assert/strict'
import { estimateTokens } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { runOffloaded } from '../support/run-pair.ts'
import { json, LOG, log, text, USERS } from '../support/sample-content.ts'
import { scripted, type ScriptedTurn } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

const LIMIT = 2_500

/** A log of about 210 KB and 50,000 tokens. */
const SERVICE_LOG = Array.from({ length: 2_300 }, (_, index) => {
  const status = index === 1_233 ? 'failed' : 'done'
  return `line ${index + 1}: background service answered another request and released all its connections, ${status}`
}).join('\n')

/** Cost of a conversation in tokens. */
export const tokenCases: readonly AdapterCase[] = [
  {
    id: 'tokens/log-and-two-retrievals',
    title: 'shows a log of 200 KB and two retrievals from it in at most 2,500 tokens each, instead of about 50,000',
    async run(harness) {
      const tools = [returning('read_log', text(SERVICE_LOG))]
      const plain = await harness.run({
        offloader: undefined,
        session: SESSION,
        tools,
        model: scripted(calling('read_log')),
      })
      const original = estimateTokens(textOf(lastResult(lastPrompt(plain))))
      assert.ok(
        original > 40_000 && original < 60_000,
        `Without an offloader the model must see the whole log, not ${original} tokens`,
      )
      const retrieve =
        (id: string, input: object): ScriptedTurn =>
        (prompt) =>
          retrieving({ reference: referenceIn(lastResult(prompt, 'call_1')), ...input }, id)
      const model = scripted(
        calling('read_log'),
        retrieve('retrieval_1', { pattern: 'done' }),
        retrieve('retrieval_2', { line_range: { start: 1_220, end: 1_240 } }),
      )
      const { result } = await runOffloaded(harness, { tools, model })
      const prompt = lastPrompt(result)
      for (const { toolCallId, content } of prompt.results) {
        const tokens = estimateTokens(textOf({ content }))
        assert.ok(tokens <= LIMIT, `The result of ${toolCallId} has ${tokens} tokens`)
      }
      assert.match(textOf(lastResult(prompt, 'retrieval_2')), /line 1234: .*, failed/)
      const whole = estimateTokens(prompt.messages)
      assert.ok(whole <= 4 * LIMIT, `The whole prompt has ${whole} tokens`)
    },
  },
  {
    id: 'tokens/counted-by-the-user',
    title: 'counts tokens with the function countTokens of the user',
    async run(harness) {
      const tools = [returning('read_log', text(log('main', 25)))]
      const countTokens = (value: string): number => value.length * 10
      const { result } = await runOffloaded(
        harness,
        { tools, model: scripted(calling('read_log')) },
        { countTokens, maxResultTokens: 20_000, previewTokens: 2_000 },
      )
      referenceIn(lastResult(lastPrompt(result)))
    },
  },
  {
    id: 'meter/adds-up',
    title: 'counts the same avoided, shown, and retrieved tokens as the events',
    async run(harness) {
      const bench = createBench()
      const tools = [returning('read_log', text(LOG)), returning('list_users', json(USERS))]
      const model = scripted(
        calling('read_log'),
        (prompt) => retrieving({ reference: referenceIn(lastResult(prompt)), pattern: 'FAILED' }),
        calling('list_users', {}, 'call_2'),
      )
      const { result } = await runOffloaded(harness, { tools, model }, bench)
      const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
      const offloads = bench.events.filter((event) => event.type === 'offload')
      const retrievals = bench.events.filter((event) => event.type === 'retrieval')
      const meter = bench.offloader.meter()
      assert.equal(meter.tokensAvoided, sum(offloads.map(({ tokens }) => tokens.original)))
      assert.equal(meter.tokensShown, sum(offloads.map(({ tokens }) => tokens.replacement)))
      assert.equal(meter.tokensRetrieved, sum(retrievals.map(({ tokens }) => tokens)))
      assert.equal(meter.offloaded, 2)
      assert.equal(meter.retrievals, 1)
      assert.equal(meter.bounceRate, 0.5)
      const shown = ['call_1', 'call_2'].map((id) => estimateTokens(textOf(lastResult(lastPrompt(result), id))))
      assert.equal(meter.tokensShown, sum(shown), 'The meter must count what the model sees')
    },
  },
  {
    id: 'meter/counts-once',
    title: 'counts a result once, even though it is sent again with every model call',
    async run(harness) {
      const tools = [returning('read_log', text(LOG)), returning('read_status', text('all is well'))]
      const model = scripted(
        calling('read_log'),
        ...[2, 3, 4, 5].map((index) => calling('read_status', {}, `call_${index}`)),
      )
      const { bench } = await runOffloaded(harness, { tools, model })
      assert.deepEqual(
        bench.events.map(({ type }) => type),
        ['offload'],
        'One event for the one large result',
      )
      assert.equal(bench.offloader.meter().offloaded, 1)
    },
  },
]
