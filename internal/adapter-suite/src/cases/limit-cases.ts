import assert from 'node:assert/strict'
import { estimateTokens } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseTool } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench } from '../support/bench.ts'
import { behaving, calling, callingAll, returning } from '../support/case-tools.ts'
import { eventLoopTurns } from '../support/event-loop-turns.ts'
import { assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { json, LOG, log, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

const CALLS = [0, 1, 2, 3].map((name) => ({ id: `call_${name}`, name: 'read_log', input: { name } }))

/** Reads a log of about 2,200 tokens, which is below the limit of one result. The call of `slowest` ends last. */
const readingLogs = (slowest: number): CaseTool => ({
  name: 'read_log',
  async call(input) {
    const { name } = input as { readonly name: number }
    await eventLoopTurns(name === slowest ? 60 : 10)
    return { type: 'returns', content: [text(log(`log ${name}`, 33))] }
  },
})

/** Limits of turns and tools, redaction, and modes. */
export const limitCases: readonly AdapterCase[] = [
  {
    id: 'limits/turn',
    title: 'offloads parallel results that exceed maxTurnTokens together, with the same bytes in every run',
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
            assert.equal(await bench.storedText(referenceIn(result_)), log(`log ${index}`, 33))
        const reasons = bench.events.map((event) => event.type === 'offload' && event.reason)
        assert.ok(
          reasons.length > 0 && reasons.every((reason) => reason === 'turn-budget'),
          'The reasons in the events',
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
      const tools = { read_log: { ...exempt, maxInlineTokens: 3_000 } }
      const { result, bench } = await runOffloaded(harness, script, { tools })
      assert.equal(await bench.storedText(referenceIn(lastResult(lastPrompt(result)))), LOG)
    },
  },
  {
    id: 'limits/tool',
    title: 'offloads results by the limit of their tool, for example a share of the context window',
    async run(harness) {
      const script = { tools: [returning('read_log', text(log('small', 25)))], model: scripted(calling('read_log')) }
      const options = { contextWindow: 100_000, tools: { read_log: { maxResultTokens: { share: 0.008 } } } }
      const { result, bench } = await runOffloaded(harness, script, options)
      const shown = lastResult(lastPrompt(result))
      assert.equal(await bench.storedText(referenceIn(shown)), log('small', 25))
      assert.ok(estimateTokens(textOf(shown)) <= 800, 'The replacement is over the limit of the tool')
    },
  },
  {
    id: 'redaction/small-results',
    title:
      'removes secrets from small results and errors before the model sees them, and leaves other results unchanged',
    async run(harness) {
      const key = `ghp_${'a1B2'.repeat(9)}`
      const tools = [
        returning('read_env', text(`before\nkey ${key}\nafter`)),
        returning('read_user', json({ name: 'ann', auth: [{ key }] })),
        behaving('read_secret', { type: 'throws', thrown: new RangeError(`no access with ${key}`) }),
        returning('read_log', text(`key ${key}\n${LOG}`)),
        returning('read_status', text('all is well')),
      ]
      const calls = tools.map(({ name }, index) => ({ id: `call_${index}`, name, input: {} }))
      const script = { tools, model: scripted(callingAll(...calls)) }
      const { plain, offloaded, bench } = await runPair(harness, script, { redact: {} })
      const prompt = lastPrompt(offloaded)
      assert.ok(!JSON.stringify(prompt).includes(key), 'The key has reached the model')
      for (const id of ['call_0', 'call_1', 'call_2', 'call_3'])
        assert.match(textOf(lastResult(prompt, id)), /\[redacted:secret\]/, `The result of ${id}`)
      assert.match(textOf(lastResult(prompt, 'call_0')), /before\nkey \[redacted:secret\]\nafter/)
      assert.match(textOf(lastResult(prompt, 'call_1')), /ann/)
      assert.equal(textOf(lastResult(prompt, 'call_4')), textOf(lastResult(lastPrompt(plain), 'call_4')))
      const [stored] = await Promise.all((await bench.references()).map(async (one) => bench.storedText(one)))
      assert.equal(stored, `key [redacted:secret]\n${LOG}`)
    },
  },
  {
    id: 'redaction/failing',
    title: 'hides a result from the model if the result could not be redacted',
    async run(harness) {
      const script = { tools: [returning('read_env', text('key of mine'))], model: scripted(calling('read_env')) }
      const fail = (): never => {
        throw new Error('The rule is broken.')
      }
      const { result, bench } = await runOffloaded(harness, script, { redact: { rules: [fail] } })
      assert.match(textOf(lastResult(lastPrompt(result))), /\[Withheld: /)
      assert.ok(!lastPrompt(result).messages.includes('key of mine'), 'The result has reached the model')
      assert.ok(bench.events.some(({ type }) => type === 'redaction-failed'))
    },
  },
  {
    id: 'mode/shadow',
    title: 'changes nothing in shadow mode, and counts the results that would be offloaded',
    async run(harness) {
      const script = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log')) }
      const pair = await runPair(harness, script, { mode: 'shadow' })
      assertSamePrompts(pair)
      assert.ok(pair.bench.events.some((event) => event.type === 'offload-skipped' && event.reason === 'shadow'))
      assert.ok(pair.bench.offloader.meter().tokensShadowed > 0, 'The meter has counted no result')
      assert.deepEqual(await pair.bench.references(), [], 'Something was stored')
    },
  },
  {
    id: 'mode/switched-off',
    title: 'leaves results unchanged while the function mode returns off, and offloads them afterwards',
    async run(harness) {
      let mode: 'off' | 'offload' = 'off'
      const bench = createBench({ mode: () => mode })
      const script = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log')) }
      const first = await runOffloaded(harness, { ...script, session: 'session-2' }, bench)
      assertSameText(textOf(lastResult(lastPrompt(first.result))), LOG, 'The result with mode off')
      mode = 'offload'
      const second = await runOffloaded(harness, { ...script, session: 'session-3' }, bench)
      const reference = referenceIn(lastResult(lastPrompt(second.result)))
      assertSameText(await bench.storedText(reference, 'session-3'), LOG, 'The stored text')
    },
  },
]
