import assert from 'node:assert/strict'
import type { AdapterCase } from '../adapter-case.ts'
import { calling, returning } from '../support/case-tools.ts'
import { runPair } from '../support/run-pair.ts'
import { json, LOG, media, text, USERS } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, OFFLOADED, textOf } from '../support/seen-results.ts'

const OUTPUTS = [
  ['text', text(LOG)],
  ['json', json(USERS)],
  ['parts', text(LOG), media('image', 1_200_000)],
] as const

/** What the program, such as a user interface, sees of results. */
export const outputCases: readonly AdapterCase[] = [
  ...OUTPUTS.map(([name, ...content]): AdapterCase => ({
    id: `outputs/${name}`,
    title: `shows the program a large result (${name}) as the tool returned it`,
    async run(harness) {
      const tools = [returning('read', ...content)]
      const { plain, offloaded } = await runPair(harness, { tools, model: scripted(calling('read')) })
      assert.ok(textOf(lastResult(lastPrompt(offloaded))).includes(OFFLOADED), 'The model sees the original')
      assert.equal(plain.outputs.length, 1, 'The harness must record what the program sees of a result')
      assert.deepEqual(offloaded.outputs, plain.outputs)
    },
  })),
  {
    id: 'outputs/small',
    title: 'shows the program small results as the tools returned them',
    async run(harness) {
      const tools = [returning('one', text('all is well')), returning('two', json({ a: 1 }))]
      const { plain, offloaded } = await runPair(harness, {
        tools,
        model: scripted(calling('one'), calling('two', {}, 'call_2')),
      })
      assert.equal(plain.outputs.length, 2, 'The harness must record what the program sees of each result')
      assert.deepEqual(offloaded.outputs, plain.outputs)
    },
  },
]
