import assert from 'node:assert/strict'
import { estimateTokens } from '@spillway/core'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, ToolBehaviour } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { behaving, calling } from '../support/case-tools.ts'
import { assertDone, assertSamePrompts, runPair } from '../support/run-pair.ts'
import { HUGE } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, OFFLOADED, referencesIn, textOf } from '../support/seen-results.ts'

/** Has private fields, like a `DOMException`. */
class BuildError extends Error {
  readonly #name = 'BuildError'
  readonly #code = 'EBUILD'

  override get name(): string {
    return this.#name
  }

  get code(): string {
    return this.#code
  }
}

const SMALL: readonly (readonly [name: string, what: string, behaviours: readonly ToolBehaviour[]])[] = [
  [
    'thrown',
    'a small error that a tool throws',
    [new Error('no such file'), new BuildError('failed'), new TypeError('')].map(throwing),
  ],
  ['thrown-string', 'a string that a tool throws', [throwing('no such file')]],
  ['thrown-object', 'an object that a tool throws', [throwing({ code: 404, reason: 'no such file' })]],
  ['thrown-nothing', 'null or undefined thrown by a tool', [throwing(undefined), throwing(null)]],
  ['returned', 'a small error that a tool returns', [{ type: 'returns-error', text: 'no such file' }]],
]

const HUGE_ONES: readonly (readonly [name: string, what: string, behaviour: ToolBehaviour])[] = [
  ['huge-thrown', 'a huge error that a tool throws', throwing(new BuildError(HUGE))],
  ['huge-thrown-string', 'a huge string that a tool throws', throwing(HUGE)],
  ['huge-thrown-object', 'a huge object that a tool throws', throwing({ stderr: HUGE.split('\n') })],
  ['huge-returned', 'a huge error that a tool returns', { type: 'returns-error', text: HUGE }],
]

/** Behavior when a tool fails. */
export const errorCases: readonly AdapterCase[] = [
  ...SMALL.map(([name, what, behaviours]): AdapterCase => ({
    id: `errors/${name}`,
    title: `leaves ${what} unchanged compared with a run without an offloader`,
    async run(harness) {
      for (const behaviour of behaviours) {
        const script = { tools: [behaving('build', behaviour)], model: scripted(calling('build')) }
        const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
        const offloaded = await harness.run({ ...script, offloader: createBench().offloader, session: SESSION })
        assert.deepEqual(endOf(offloaded), endOf(plain), 'The run must end as it does without an offloader')
        assertSamePrompts({ plain, offloaded })
      }
    },
  })),
  ...HUGE_ONES.map(([name, what, behaviour]): AdapterCase => ({
    id: `errors/${name}`,
    title: `offloads ${what}: the prompt has a short text, still marked as an error, with its last line`,
    run: async (harness) => assertHugeError(harness, behaviour),
  })),
  {
    id: 'errors/what-the-offloader-is-told',
    title: 'tells the offloader that a result is an error',
    async run(harness) {
      for (const [, , behaviour] of HUGE_ONES) {
        const told: boolean[] = []
        const { offloader } = createBench({ shouldOffload: ({ isError }) => told.push(isError) > 0 })
        const script = { tools: [behaving('build', behaviour)], model: scripted(calling('build')) }
        await harness.run({ ...script, offloader, session: SESSION })
        assert.equal(told[0], true, 'shouldOffload was not called for the error, or isError was not true')
      }
    },
  },
]

function throwing(thrown: unknown): ToolBehaviour {
  return { type: 'throws', thrown }
}

async function assertHugeError(harness: AdapterHarness, behaviour: ToolBehaviour): Promise<void> {
  const script = { tools: [behaving('build', behaviour)], model: scripted(calling('build')) }
  const { plain, offloaded, bench } = await runPair(harness, script)
  assertDone(plain, 'The framework ends the run if a tool fails: let the harness show errors to the model')
  const [seen, original] = [lastResult(lastPrompt(offloaded)), lastResult(lastPrompt(plain))]
  assert.ok(textOf(original).length > 80_000, 'The framework itself does not show the model the whole error')
  assert.ok(textOf(seen).includes(OFFLOADED), 'The error was not offloaded')
  assert.ok(estimateTokens(textOf(seen)) <= 2_500, 'The error that the model sees is over the limit')
  assert.equal(seen.isError, original.isError, 'The mark of an error has changed')
  assert.match(textOf(seen), /FATAL: no space left on device/, 'The last line of an error must stay in the preview')
  const [reference = ''] = referencesIn(seen)
  const stored = await bench.storedText(reference)
  for (const line of ['step 1 of', 'step 700 of', 'FATAL: no space left on device'])
    assert.ok(stored.includes(line), `"${line}" of the error is not in the stored text`)
}

function endOf({ text, error }: { readonly text: string | undefined; readonly error: unknown }): unknown {
  return { text, error: error instanceof Error ? { name: error.name, message: error.message } : error }
}
