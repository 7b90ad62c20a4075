import assert from 'node:assert/strict'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseTool } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { behaving, calling, callingAll, returning } from '../support/case-tools.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { assertDone, assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { LOG, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, OFFLOADED, referenceIn, textOf } from '../support/seen-results.ts'

const NUMBER_SCHEMA = {
  type: 'object',
  properties: { n: { type: 'number', description: 'How many.' } },
  required: ['n'],
  additionalProperties: false,
} as const

/** Further behavior of a framework's loop that an adapter must not change. */
export const loopCases: readonly AdapterCase[] = [
  {
    id: 'streaming/preliminary-results',
    title: 'shows the program the preliminary results of a tool, and offloads only the final result',
    async run(harness) {
      const texts = ['a tenth is done', LOG.slice(0, 9_000), LOG]
      const tools = [behaving('build', { type: 'yields', texts })]
      const { plain, offloaded, bench } = await runPair(harness, { tools, model: scripted(calling('build')) })
      assert.deepEqual(offloaded.preliminaryOutputs, plain.preliminaryOutputs, 'The preliminary results have changed')
      const reference = referenceIn(lastResult(lastPrompt(offloaded)))
      assertSameText(await bench.storedText(reference), LOG, 'The stored text must be the final result')
      assert.deepEqual(await bench.references(), [reference], 'A preliminary result was stored')
    },
  },
  {
    id: 'streaming/small-results',
    title: 'leaves small results of a tool that yields unchanged',
    async run(harness) {
      const tools = [behaving('build', { type: 'yields', texts: ['a tenth is done', 'half is done', 'done'] })]
      const pair = await runPair(harness, { tools, model: scripted(calling('build')) })
      assertSamePrompts(pair)
      assert.deepEqual(pair.offloaded.preliminaryOutputs, pair.plain.preliminaryOutputs)
    },
  },
  {
    id: 'approval/approved',
    title: 'requests approval before a tool runs, runs the tool once, and offloads its result',
    async run(harness) {
      const order: string[] = []
      const bench = createBench()
      const result = await harness.run({
        offloader: bench.offloader,
        session: SESSION,
        tools: [{ ...recording('deploy', order, LOG), needsApproval: true }],
        model: scripted(calling('deploy', { to: 'production' })),
        approve: () => order.push('asked') > 0,
      })
      assertDone(result, 'The run does not reach the end')
      assert.deepEqual(order, ['asked', 'ran'])
      assert.deepEqual(result.approvalsAsked, ['deploy'])
      assertSameText(await bench.storedText(referenceIn(lastResult(lastPrompt(result)))), LOG, 'What is stored')
    },
  },
  {
    id: 'approval/denied',
    title: 'does not run a denied tool, and shows the model the same messages as without an offloader',
    async run(harness) {
      const order: string[] = []
      const pair = await runPair(harness, {
        tools: [
          { ...recording('deploy', order, LOG), needsApproval: true },
          returning('read_status', text('all is well')),
        ],
        model: scripted(calling('deploy'), calling('read_status', {}, 'call_2')),
        approve: () => false,
      })
      assert.deepEqual(order, [], 'The tool ran though it was denied')
      assert.deepEqual(pair.offloaded.approvalsAsked, pair.plain.approvalsAsked)
      assert.deepEqual(pair.plain.approvalsAsked, ['deploy'], 'The harness must record which approvals were asked')
      assertSamePrompts(pair)
    },
  },
  {
    id: 'approval/not-for-retrieval',
    title: 'requests no approval for retrievals and for tools that need none',
    async run(harness) {
      const { result } = await runOffloaded(harness, {
        tools: [{ ...returning('deploy', text('deployed')), needsApproval: true }, returning('read_log', text(LOG))],
        model: scripted(calling('read_log'), (prompt) =>
          retrieving({ reference: referenceIn(lastResult(prompt)), pattern: 'FAILED' }),
        ),
        approve: () => false,
      })
      assert.deepEqual(result.approvalsAsked, [])
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_1')), /status=FAILED/)
    },
  },
  {
    id: 'arguments/invalid',
    title: 'does not run a tool with invalid arguments, and shows the model the same messages as without an offloader',
    async run(harness) {
      const order: string[] = []
      const pair = await runPair(harness, {
        tools: [{ ...recording('count', order, LOG), inputSchema: NUMBER_SCHEMA }],
        model: scripted(calling('count', { n: 'many' }), calling('count', {}, 'call_2')),
      })
      assert.deepEqual(order, [], 'The tool ran with arguments that its schema refuses')
      assertSamePrompts(pair)
    },
  },
  {
    id: 'arguments/valid',
    title: 'runs a tool with valid arguments',
    async run(harness) {
      const order: string[] = []
      const tools = [{ ...recording('count', order, LOG), inputSchema: NUMBER_SCHEMA }]
      const { result } = await runOffloaded(harness, { tools, model: scripted(calling('count', { n: 3 })) })
      assert.deepEqual(order, ['ran'])
      referenceIn(lastResult(lastPrompt(result)))
    },
  },
  {
    id: 'arguments/schemas',
    title: 'offers the schemas of tools to the model unchanged',
    async run(harness) {
      const tools = [
        { ...returning('count', text(LOG)), inputSchema: NUMBER_SCHEMA },
        returning('read_status', text('well')),
      ]
      const model = scripted(calling('count', { n: 1 }), calling('read_status', {}, 'call_2'))
      const { plain, offloaded } = await runPair(harness, { tools, model })
      for (const [index, { toolSchemas, toolNames }] of plain.prompts.entries())
        for (const name of toolNames)
          assert.deepEqual(offloaded.prompts[index]?.toolSchemas?.[name], toolSchemas?.[name], `The schema of ${name}`)
    },
  },
  {
    id: 'provider/results',
    title: 'leaves results of tools that the provider runs unchanged at any size',
    async run(harness) {
      const pair = await runPair(harness, {
        tools: [
          { ...returning('web_search', text('never')), providerExecuted: true },
          returning('read_status', text('well')),
        ],
        model: scripted(
          callingAll(
            { id: 'call_1', name: 'web_search', input: { query: 'logs' }, providerResult: { hits: [LOG] } },
            { id: 'call_2', name: 'read_status', input: {} },
          ),
        ),
      })
      assert.ok(
        lastPrompt(pair.plain).messages.length > LOG.length,
        'Without an offloader, the framework does not show the result',
      )
      assertSamePrompts(pair)
      assert.deepEqual(await pair.bench.references(), [], "Something was stored of a provider's result")
    },
  },
  {
    id: 'provider/beside-large-results',
    title: "offloads a large result next to a result of a provider's tool, which stays unchanged",
    async run(harness) {
      const { result } = await runOffloaded(harness, {
        tools: [
          { ...returning('web_search', text('never')), providerExecuted: true },
          returning('read_log', text(LOG)),
        ],
        model: scripted(
          callingAll(
            { id: 'call_1', name: 'web_search', input: {}, providerResult: { hits: ['the only hit'] } },
            { id: 'call_2', name: 'read_log', input: {} },
          ),
        ),
      })
      assert.ok(lastPrompt(result).messages.includes('the only hit'), "The provider's result is missing")
      assert.ok(
        textOf(lastResult(lastPrompt(result), 'call_2')).includes(OFFLOADED),
        'The large result was not offloaded',
      )
    },
  },
]

function recording(name: string, order: string[], content: string): CaseTool {
  return {
    name,
    call() {
      order.push('ran')
      return { type: 'returns', content: [text(content)] }
    },
  }
}
