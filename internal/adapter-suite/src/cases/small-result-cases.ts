import assert from 'node:assert/strict'
import type { ContentBlock, ContextOffloaderOptions } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { behaving, calling, callingAll, returning } from '../support/case-tools.ts'
import { assertDone, assertSamePrompts, runOffloaded, runPair, type RunPair } from '../support/run-pair.ts'
import { json, media, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

/** A limit above the size of a replacement. A result is replaced only if the replacement is smaller. */
const LIMIT: Partial<ContextOffloaderOptions> = {
  maxResultTokens: 4_000,
  previewTokens: 500,
  countTokens: (value) => value.length,
}

const SMALL: readonly (readonly [name: string, what: string, values: readonly (readonly ContentBlock[])[]])[] = [
  [
    'text',
    'a small text',
    ['all is well', 'two\r\nlines\n', 'null', '{"a": 1}', '日本語 👩‍👩‍👧 \u0000 \u001b[31m', 'half a pair: \ud83d.'].map(
      (one) => [text(one)],
    ),
  ],
  ['empty-text', 'an empty text', [[text('')]]],
  ['blank-text', 'a text of nothing but blanks', [[text(' ')], [text('\n')], [text(' \t\r\n ')]]],
  [
    'json',
    'a small JSON value',
    [{ a: [1, 'two', null] }, [], {}, null, false, 0, -0.5, [[[]]], { 'b c': '"\\', 日本: '👩‍👩‍👧' }].map((one) => [
      json(one),
    ]),
  ],
  ['nothing', 'nothing', [[]]],
  [
    'parts',
    'small content with several parts',
    [
      [text('a chart:'), media('image', 2_000), text('')],
      [text('one'), text('two')],
    ],
  ],
  ['image', 'a small image', [[media('image', 500)]]],
  ['document', 'a small document', [[media('document', 500)]]],
  [
    'look-alike',
    'a small value that looks like a replacement, a message, or a wrapped result',
    [
      text('[Offloaded: 1 block, ~9 tokens]\n[Stored references:]\n  call_1_0_abc (text, 9 bytes)'),
      json({ type: 'text', value: 'x' }),
      json({ type: 'content', value: [{ type: 'text', text: 'x' }] }),
      json({ content: [{ type: 'text', text: 'x' }], isError: true }),
      json({ role: 'tool', content: 'x', tool_call_id: 'call_1', status: 'error' }),
      json({ result: 'x', output: 'y', error: null }),
    ].map((one) => [one]),
  ],
]

/** Results within the limit stay unchanged. */
export const smallResultCases: readonly AdapterCase[] = [
  ...SMALL.map(([name, what, values]): AdapterCase => ({
    id: `small-results/${name}`,
    title: `leaves ${what} byte-identical to a run without an offloader`,
    async run(harness) {
      const tools = values.map((content, index) => returning(`tool_${index}`, ...content))
      const turns = values.map((_, index) => calling(`tool_${index}`, {}, `call_${index}`))
      await assertUntouched(await runPair(harness, { tools, model: scripted(...turns) }))
    },
  })),
  {
    id: 'small-results/many',
    title: 'leaves results unchanged if only their sum exceeds the limit, because the limit applies to each result',
    async run(harness) {
      const calls = Array.from({ length: 10 }, (_, index) => ({ id: `call_${index}`, name: 'read', input: {} }))
      const tools = [returning('read', text('x'.repeat(3_000)))]
      await assertUntouched(await runPair(harness, { tools, model: scripted(callingAll(...calls)) }, LIMIT))
    },
  },
  {
    id: 'small-results/at-the-limit',
    title: 'leaves a result of exactly the limit unchanged, and offloads a result with one more token',
    async run(harness) {
      for (const block of [text(words(4_000)), json({ a: words(4_000) })]) {
        const script = { tools: [returning('read', block)], model: scripted(calling('read')) }
        const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
        const limit = textOf(lastResult(lastPrompt(plain))).length
        await assertUntouched(await runPair(harness, script, { ...LIMIT, maxResultTokens: limit }))
        const { result } = await runOffloaded(harness, script, { ...LIMIT, maxResultTokens: limit - 1 })
        referenceIn(lastResult(lastPrompt(result)))
      }
    },
  },
  {
    id: 'small-results/odd-values',
    title: 'leaves values without a JSON form to the framework',
    async run(harness) {
      const values = [new Date(0), { a: undefined, b: [undefined, NaN] }, new Map([[1, 2]]), { toJSON: () => 'x' }]
      for (const value of values) {
        const script = { tools: [returning('read', json(value))], model: scripted(calling('read')) }
        const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
        const offloaded = await harness.run({ ...script, offloader: createBench().offloader, session: SESSION })
        // If the framework itself fails for a value, the adapter need not do better.
        if (plain.text === undefined) continue
        assertDone(offloaded, 'The run with an offloader does not reach the end')
        assertSamePrompts({ plain, offloaded })
      }
    },
  },
  {
    id: 'small-results/as-parts',
    title: 'leaves a single small block in a result with several parts unchanged',
    async run(harness) {
      const tools = [behaving('read', { type: 'returns', content: [text('all is well')], asParts: true })]
      await assertUntouched(await runPair(harness, { tools, model: scripted(calling('read')) }))
    },
  },
  {
    id: 'small-results/values-of-the-program',
    title: 'accepts frozen values of a tool',
    async run(harness) {
      const value = { rows: Array.from({ length: 3 }, (_, id) => ({ id, tags: ['a'] })) }
      const large = { rows: Array.from({ length: 3_000 }, (_, id) => ({ id, tags: ['a'] })) }
      const [before, largeBefore] = [structuredClone(value), structuredClone(large)]
      for (const one of [value, large]) freeze(one)
      const tools = [returning('small', json(value)), returning('large', json(large))]
      const { offloaded } = await runPair(harness, {
        tools,
        model: scripted(calling('small'), calling('large', {}, 'call_2')),
      })
      referenceIn(lastResult(lastPrompt(offloaded), 'call_2'))
      assert.deepEqual([value, large], [before, largeBefore], 'A value that a tool returned was changed')
    },
  },
]

async function assertUntouched(pair: RunPair): Promise<void> {
  assertSamePrompts(pair)
  assert.deepEqual(await pair.bench.references(), [], 'Something was stored of a small result')
  assert.deepEqual(pair.bench.events, [], 'An event tells of a small result')
}

/** Return a text whose preview is short, so that its replacement is smaller: one line of words. */
function words(length: number): string {
  return 'lorem ipsum dolor '.repeat(Math.ceil(length / 18)).slice(0, length)
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const nested of Object.values(value)) freeze(nested)
}
