import assert from 'node:assert/strict'
import { estimateTokens } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseTool } from '../harness.ts'
import { calling, callingAll, returning } from '../support/case-tools.ts'
import { eventLoopTurns } from '../support/event-loop-turns.ts'
import { assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { LOG, log, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

const CALLS = [0, 1, 2, 3].map((name) => ({ id: `call_${name}`, name: 'read_log', input: { name } }))

/** Reads a log of about 2,200 tokens, which is within the limit of one result. `slowest` ends last. */
const readingLogs = (slowest: number): CaseTool => ({
  name: 'read_log',
  async call(input) {
    const { name } = input as { readonly name: number }
    await eventLoopTurns(name === slowest ? 60 : 10)
    return { type: 'returns', content: [text(log(`log ${name}`, 130))] }
  },
})

/** Limits of turns and of tools, and what does not depend on limits. */
export const limitCases: readonly AdapterCase[] = [
  {
    id: 'limits/turn',
    title: 'keeps parallel results together within maxTurnTokens, stores those over it, and gives equal bytes again',
    async run(harness) {
      const run = async (slowest: number): Promise<readonly string[]> => {
        const script = { tools: [readingLogs(slowest)], model: scripted(callingAll(...CALLS)) }
        const { result, bench } = await runOffloaded(harness, script, { maxTurnTokens: 4_000 })
        const shown = CALLS.map(({ id }) => lastResult(lastPrompt(result), id))
        const texts = shown.map(textOf)
        const tokens = texts.reduce((sum, each) => sum + estimateTokens(each), 0)
        assert.ok(tokens <= 4_000, `The results have ${tokens} tokens, and the turn 4,000`)
        for (const [index, result_] of shown.entries())
          if (texts[index]?.startsWith('[Offloaded') === true)
            assert.equal(await bench.storedText(referenceIn(result_)), log(`log ${index}`, 130))
        const reasons = bench.events.map((event) => event.type === 'offload' && event.reason)
        assert.ok(
          reasons.length > 0 && reasons.every((reason) => reason === 'turn-budget'),
          'The reasons of the events',
        )
        return texts
      }
      assert.deepEqual(await run(0), await run(3), 'The replacements depend on which call ends last')
    },
  },
  {
    id: 'limits/turn-of-one-call',
    title: 'leaves a result within both limits byte-identical',
    async run(harness) {
      const script = { tools: [readingLogs(0)], model: scripted(calling('read_log', { name: 1 })) }
      assertSamePrompts(await runPair(harness, script, { maxTurnTokens: 4_000 }))
    },
  },
  {
    id: 'limits/exempt-tool',
    title: 'leaves large results of a tool with offload: false byte-identical, up to maxInlineTokens',
    async run(harness) {
      const script = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log')) }
      const exempt = { offload: false }
      assertSamePrompts(await runPair(harness, script, { tools: { 'read_*': exempt } }))
      const tools = { read_log: { ...exempt, maxInlineTokens: 10_000 } }
      const { result, bench } = await runOffloaded(harness, script, { tools })
      assert.equal(await bench.storedText(referenceIn(lastResult(lastPrompt(result)))), LOG)
    },
  },
  {
    id: 'limits/tool',
    title: 'offloads results by the limits of their tool, here a share of the context window',
    async run(harness) {
      const script = { tools: [returning('read_log', text(log('small', 100)))], model: scripted(calling('read_log')) }
      const options = { contextWindow: 100_000, tools: { read_log: { maxResultTokens: { share: 0.008 } } } }
      const { result, bench } = await runOffloaded(harness, script, options)
      const shown = lastResult(lastPrompt(result))
      assert.equal(await bench.storedText(referenceIn(shown)), log('small', 100))
      assert.ok(estimateTokens(textOf(shown)) <= 800, 'The replacement is over the limit of the tool')
    },
  },
]
