import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, CaseTool, ConversationResult } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { overriddenStorage } from '../support/overridden-storage.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { LOG, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastResult, referenceIn } from '../support/seen-results.ts'
import { within } from '../support/within.ts'

const PROMPTLY_MS = 4_000
const ABORT_AFTER_MS = 30

/** What becomes of a run that is aborted. */
export const abortCases: readonly AdapterCase[] = [
  ...(
    [
      ['that-goes-on', 'a tool runs that goes on to a large result', async () => sleep(20)],
      [
        'that-fails',
        'a tool runs that fails with the reason',
        async (signal) => {
          await sleep(20)
          signal.throwIfAborted()
        },
      ],
    ] as readonly (readonly [string, string, (signal: AbortSignal) => Promise<void>])[]
  ).map(([name, what, goOn]): AdapterCase => ({
    id: `abort/tool-${name}`,
    title: `ends a run that is aborted while ${what} as without an offloader`,
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
        ends.push(endOf(await within(PROMPTLY_MS, run, 'The run does not end once it is aborted')))
      }
      assert.deepEqual(ends[1], ends[0])
    },
  })),
  {
    id: 'abort/signal-of-tools',
    title: 'gives a tool the signal that it has without an offloader',
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
        await within(PROMPTLY_MS, run, 'The run does not end once it is aborted')
      }
      assert.equal(seen[1], seen[0], 'Whether the signal had fired before and after the run was aborted')
    },
  },
  {
    id: 'abort/storing',
    title: 'ends a run promptly that is aborted while a store hangs',
    async run(harness) {
      const controller = new AbortController()
      let stores = 0
      const storage = overriddenStorage(new InMemoryStorage(), () => ({
        store() {
          stores += 1
          setTimeout(() => controller.abort(), ABORT_AFTER_MS)
          return new Promise(() => {})
        },
      }))
      const { offloader } = createBench({ storage })
      const run = harness.run({
        offloader,
        session: SESSION,
        tools: [returning('read_log', text(LOG))],
        model: scripted(calling('read_log')),
        signal: controller.signal,
      })
      await within(PROMPTLY_MS, run, 'The run waits for a store that hangs, though it was aborted')
      assert.ok(stores > 0, 'Nothing was stored')
    },
  },
  {
    id: 'abort/retrieving',
    title: 'ends a run promptly that is aborted while a retrieval hangs',
    async run(harness) {
      const controller = new AbortController()
      let retrievals = 0
      const hang = (): Promise<never> => {
        retrievals += 1
        setTimeout(() => controller.abort(), ABORT_AFTER_MS)
        return new Promise(() => {})
      }
      const storage = overriddenStorage(new InMemoryStorage(), () => ({
        retrieve: hang,
        retrieveRange: hang,
        stat: hang,
      }))
      const { offloader } = createBench({ storage })
      const run = harness.run({
        offloader,
        session: SESSION,
        tools: [returning('read_log', text(LOG))],
        model: scripted(calling('read_log'), (prompt) => retrieving({ reference: referenceIn(lastResult(prompt)) })),
        signal: controller.signal,
      })
      await within(PROMPTLY_MS, run, 'The run waits for a retrieval that hangs, though it was aborted')
      assert.ok(retrievals > 0, 'Nothing was retrieved')
    },
  },
  {
    id: 'abort/before',
    title: 'ends a run that was aborted before it began as without an offloader',
    async run(harness) {
      const ends = []
      for (const offloader of [undefined, createBench().offloader])
        ends.push(endOf(await within(PROMPTLY_MS, runAborted(harness, offloader), 'The run does not end')))
      assert.deepEqual(ends[1], ends[0])
    },
  },
]

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
