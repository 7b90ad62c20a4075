import assert from 'node:assert/strict'
import type { Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, CaseTool, ConversationResult, ModelTurn, SeenPrompt } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { eventLoopTurns } from '../support/event-loop-turns.ts'
import { overriddenStorage } from '../support/overridden-storage.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { LOG, text } from '../support/sample-content.ts'
import { scripted, type ScriptedTurn } from '../support/scripted-model.ts'
import { lastResult, OFFLOADED, referenceIn, textOf } from '../support/seen-results.ts'
import { HANGING_MS, hangingMs, within } from '../support/within.ts'

/** Behavior when a run is aborted. */
export const abortCases: readonly AdapterCase[] = [
  ...(
    [
      ['that-goes-on', 'a tool runs that goes on to a large result', async () => eventLoopTurns(20)],
      [
        'that-fails',
        'a tool runs that fails with the reason',
        async (signal) => {
          await eventLoopTurns(20)
          signal.throwIfAborted()
        },
      ],
    ] as readonly (readonly [string, string, (signal: AbortSignal) => Promise<void>])[]
  ).map(([name, what, goOn]): AdapterCase => ({
    id: `abort/tool-${name}`,
    title: `ends a run aborted while ${what} in the same way as without an offloader`,
    async run(harness) {
      const ends = []
      for (const offloader of [undefined, createBench().offloader]) {
        const controller = new AbortController()
        const tool: CaseTool = {
          name: 'read_log',
          async call() {
            controller.abort()
            await goOn(controller.signal)
            return { type: 'returns', content: [text(LOG)] }
          },
        }
        const run = harness.run({
          offloader,
          session: SESSION,
          tools: [tool],
          model: scripted(calling('read_log')),
          signal: controller.signal,
        })
        ends.push(endOf(await within(HANGING_MS, run, 'The run does not end once it is aborted')))
      }
      assert.deepEqual(ends[1], ends[0])
    },
  })),
  {
    id: 'abort/signal-of-tools',
    title: 'gives a tool the same abort signal as without an offloader',
    async run(harness) {
      const seen: string[] = []
      for (const offloader of [undefined, createBench().offloader]) {
        const controller = new AbortController()
        const tool: CaseTool = {
          name: 'read_log',
          call(_input, { signal }) {
            const before = signal?.aborted
            controller.abort()
            seen.push(`${before} ${signal?.aborted}`)
            return { type: 'returns', content: [text('small')] }
          },
        }
        const run = harness.run({
          offloader,
          session: SESSION,
          tools: [tool],
          model: scripted(calling('read_log')),
          signal: controller.signal,
        })
        await within(HANGING_MS, run, 'The run does not end once it is aborted')
      }
      assert.equal(seen[1], seen[0], 'Whether the signal had fired before and after the run was aborted')
    },
  },
  {
    id: 'abort/storing',
    title: 'ends a run promptly if it is aborted while a store hangs',
    async run(harness) {
      const hung = await abortedWhileHanging(harness, 'abort/storing', ['store'], calling('read_log'))
      assert.ok(hung > 0, 'The storage was not called to store the result')
    },
  },
  {
    id: 'abort/retrieving',
    title: 'ends a run promptly if it is aborted while a retrieval hangs',
    async run(harness) {
      const retrieve = (prompt: SeenPrompt): ModelTurn => retrieving({ reference: referenceIn(lastResult(prompt)) })
      const methods = ['retrieve', 'retrieveRange', 'stat'] as const
      const hung = await abortedWhileHanging(harness, 'abort/retrieving', methods, calling('read_log'), retrieve)
      assert.ok(hung > 0, 'The storage was not called to retrieve the result')
    },
  },
  {
    id: 'abort/continued',
    title: 'shows the model a replacement, if the framework keeps a large result of a run that was aborted before it',
    async run(harness) {
      const plain = await resultsAfterAbort(harness, undefined)
      const shown = await resultsAfterAbort(harness, createBench().offloader)
      if (plain.length >= LOG.length) assert.ok(shown.includes(OFFLOADED), 'The model gets the whole result')
      assert.ok(shown.length < LOG.length, 'The model gets the whole result')
    },
  },
  {
    id: 'abort/before',
    title: 'ends a run aborted before its start in the same way as without an offloader',
    async run(harness) {
      const ends = []
      for (const offloader of [undefined, createBench().offloader])
        ends.push(endOf(await within(HANGING_MS, runAborted(harness, offloader), 'The run does not end')))
      assert.deepEqual(ends[1], ends[0])
    },
  },
]

/** Abort a run while these storage methods hang. Returns the number of their calls when the run has ended. */
async function abortedWhileHanging(
  harness: AdapterHarness,
  id: string,
  methods: readonly (keyof Storage)[],
  ...turns: readonly ScriptedTurn[]
): Promise<number> {
  const controller = new AbortController()
  let calls = 0
  const hang = (): Promise<never> => {
    calls += 1
    setImmediate(() => controller.abort())
    return new Promise(() => {})
  }
  const hanging = Object.fromEntries(methods.map((method) => [method, hang]))
  const { offloader } = createBench({ storage: overriddenStorage(new InMemoryStorage(), () => hanging) })
  const run = harness.run({
    offloader,
    session: SESSION,
    tools: [returning('read_log', text(LOG))],
    model: scripted(...turns),
    signal: controller.signal,
  })
  await within(hangingMs(harness, id), run, `The run waits for a ${methods[0]} that hangs, though it was aborted`)
  return calls
}

/** The results in the first prompt of a conversation that continues after a run was aborted by its tool. */
async function resultsAfterAbort(
  harness: AdapterHarness,
  offloader: Parameters<AdapterHarness['run']>[0]['offloader'],
): Promise<string> {
  const controller = new AbortController()
  const tool: CaseTool = {
    name: 'read_log',
    async call() {
      controller.abort()
      return { type: 'returns', content: [text(LOG)] }
    },
  }
  const conversation = { offloader, session: SESSION, tools: [tool] }
  const aborted = harness.run({ ...conversation, model: scripted(calling('read_log')), signal: controller.signal })
  const { history } = await within(HANGING_MS, aborted, 'The run does not end once it is aborted')
  const { prompts } = await harness.run({ ...conversation, model: () => ({ text: 'done' }), history })
  return (prompts[0]?.results ?? []).map(textOf).join('\n')
}

async function runAborted(
  harness: AdapterHarness,
  offloader: Parameters<AdapterHarness['run']>[0]['offloader'],
): Promise<ConversationResult> {
  const tools = [returning('read_log', text('small'))]
  return harness.run({
    offloader,
    session: SESSION,
    tools,
    model: scripted(calling('read_log')),
    signal: AbortSignal.abort(),
  })
}

function endOf({ text, error, prompts }: ConversationResult): unknown {
  const named = error instanceof Error ? { name: error.name, message: error.message } : error
  return { text, error: named, modelCalls: prompts.length }
}
