import assert from 'node:assert/strict'
import { inspect, isDeepStrictEqual } from 'node:util'
import type { AdapterCase } from '../adapter-case.ts'
import type { ConversationResult } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { calling, returning } from '../support/case-tools.ts'
import { runPair } from '../support/run-pair.ts'
import { json, LARGE_BYTES, LOG, media, MEDIA_LIMIT, text, USERS } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, OFFLOADED, textOf } from '../support/seen-results.ts'

const OUTPUTS = [
  ['text', text(LOG)],
  ['json', json(USERS)],
  ['parts', text(LOG), media('image', LARGE_BYTES.image)],
] as const

/** Results that the program gets, for example to show them in a user interface. */
export const outputCases: readonly AdapterCase[] = [
  ...OUTPUTS.map(([name, ...content]): AdapterCase => ({
    id: `outputs/${name}`,
    title: `shows the program a large result (${name}) as the tool returned it`,
    async run(harness) {
      const tools = [returning('read', ...content)]
      const script = { tools, model: scripted(calling('read')) }
      const { plain, offloaded } = await runPair(harness, script, MEDIA_LIMIT)
      assert.ok(textOf(lastResult(lastPrompt(offloaded))).includes(OFFLOADED), 'The model sees the original')
      assert.equal(plain.outputs.length, 1, 'The harness must record what the program sees of a result')
      assertSameOutputs(offloaded, plain)
    },
  })),
  {
    id: 'outputs/whole',
    title: 'gives the program either the whole large result or the references of the stored result',
    async run(harness) {
      const tools = [returning('read', text(LOG))]
      const { plain, offloaded, bench } = await runPair(harness, { tools, model: scripted(calling('read')) })
      const [output] = offloaded.outputs
      if (isDeepStrictEqual(output?.output, plain.outputs[0]?.output)) return
      const [block, ...others] = output?.stored ?? []
      assert.ok(block !== undefined, 'The program gets neither the result nor its references')
      assert.deepEqual([block.type, block.size, others], ['text', LOG.length, []])
      assertSameText(await bench.storedText(block.reference), LOG, 'The stored text of the reference')
    },
  },
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
      assertSameOutputs(offloaded, plain)
    },
  },
]

/** Compare without a diff, which takes seconds for large values. */
function assertSameOutputs({ outputs }: ConversationResult, { outputs: expected }: ConversationResult): void {
  const show = (value: unknown): string => inspect(value, { depth: 6, maxArrayLength: 3, maxStringLength: 200 })
  assert.ok(
    isDeepStrictEqual(outputs, expected),
    `The program must see what it sees without an offloader.\n  without: ${show(expected)}\n  with:    ${show(outputs)}`,
  )
}
