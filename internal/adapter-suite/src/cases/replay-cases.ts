import assert from 'node:assert/strict'
import { join } from 'node:path'
import { FileStorage } from '@spillway/file'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, ConversationResult } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, type Bench } from '../support/bench.ts'
import { requestsOf, runFirst, runLongSession, runSecond, SESSION_CALLS } from '../support/replayed-conversation.ts'
import { runInNewProcess } from '../support/run-in-new-process.ts'
import { assertDone } from '../support/run-pair.ts'
import { assertSameResult, lastPrompt, lastResult, OFFLOADED, textOf } from '../support/seen-results.ts'
import { withDirectory } from '../support/with-directory.ts'

/** Equal conversations must give byte-identical prompts, so that prompt caches hit. */
export const replayCases: readonly AdapterCase[] = [
  {
    id: 'replay/same-storage',
    title: 'gives the same prompts if a conversation is replayed with the same storage, and stores nothing again',
    async run(harness) {
      const bench = createBench()
      const first = await firstRun(harness, bench)
      const stored = (await bench.references()).toSorted()
      const second = await firstRun(harness, bench)
      assertEqualRequests(requestsOf(second), requestsOf(first))
      assert.deepEqual((await bench.references()).toSorted(), stored)
    },
  },
  {
    id: 'replay/fresh-storage',
    title: 'gives the same prompts if a conversation is replayed with an empty storage',
    async run(harness) {
      const first = await firstRun(harness, createBench())
      assertEqualRequests(requestsOf(await firstRun(harness, createBench())), requestsOf(first))
    },
  },
  {
    id: 'replay/prompts-only-grow',
    title: 'never changes earlier messages: each prompt starts with the previous prompt, like without an offloader',
    async run(harness) {
      const offloaded = await firstRun(harness, createBench())
      if (!grows(offloaded)) {
        const plain = await runFirst(harness, undefined)
        assertDone(plain, 'The framework on its own does not reach the end')
        assert.ok(!grows(plain), 'A prompt has changed what an earlier prompt showed')
      }
      for (const [index, { results }] of offloaded.prompts.entries()) {
        const next = offloaded.prompts[index + 1]?.results
        if (next !== undefined)
          assert.deepEqual(next.slice(0, results.length), results, `The results of prompt ${index + 1}`)
      }
    },
  },
  {
    id: 'replay/continued',
    title: 'gives the model the same bytes as an earlier run if a conversation continues from its saved history',
    async run(harness) {
      const bench = createBench()
      const first = await firstRun(harness, bench)
      const second = await secondRun(harness, bench, first)
      const shown = lastPrompt(first).results
      for (const [index, expected] of shown.entries()) {
        const seen = second.prompts[0]?.results[index]
        assert.ok(seen !== undefined, 'A result of the earlier run is gone')
        assertSameResult(seen, expected, 'A result of the earlier run must be shown as it was then')
      }
      const [now = '', before] = [second.prompts[0]?.messages, lastPrompt(first).messages]
      if (!begins(now, before)) {
        const plainFirst = await runFirst(harness, undefined)
        const plainSecond = await runSecond(harness, undefined, plainFirst.history)
        assertDone(plainSecond, 'The framework on its own does not go on from its history')
        if (begins(lastPrompt(plainSecond).messages, lastPrompt(plainFirst).messages))
          assertSameText(now.slice(0, before.length - 1), before.slice(0, -1), 'The part of the prompt from before')
      }
      assert.match(textOf(lastResult(lastPrompt(second), 'retrieval_2')), /line 57 of main: status=FAILED/)
    },
  },
  {
    id: 'replay/history-from-before',
    title: 'continues a history made without an offloader, and offloads new results',
    async run(harness) {
      const before = await runFirst(harness, undefined)
      const plain = await runSecond(harness, undefined, before.history)
      assertDone(plain, 'The framework on its own does not go on from its history')
      const result = await runSecond(harness, createBench().offloader, before.history, false)
      assertDone(result, 'The run does not go on')
      for (const [index, expected] of (plain.prompts[0]?.results ?? []).entries()) {
        const seen = result.prompts[0]?.results[index]
        assert.ok(seen !== undefined, 'A result of the history is gone')
        if (!textOf(seen).includes(OFFLOADED)) assertSameResult(seen, expected)
      }
      assert.ok(
        textOf(lastResult(lastPrompt(result), 'call_6')).includes(OFFLOADED),
        'The new result was not offloaded',
      )
    },
  },
  {
    id: 'replay/new-process',
    title: 'sends byte-identical requests in a new process that continues a history or replays a long session',
    async run(harness) {
      await withDirectory(async (directory) => {
        const over = (name: string): Bench => createBench({ storage: new FileStorage(join(directory, name)) })
        const bench = over('files')
        const first = await firstRun(harness, bench)
        const { resumed, retrieved, longSession } = await runInNewProcess(harness, {
          filled: join(directory, 'files'),
          history: first.history,
          empty: join(directory, 'empty'),
        })
        const found = 'The answer to the retrieval in the new process'
        assert.match(retrieved, /line 57 of main: status=FAILED/, found)
        assertEqualRequests(resumed, requestsOf(await secondRun(harness, bench, first)))
        const expected = await runLongSession(harness, over('long').offloader)
        assert.equal(expected.length, SESSION_CALLS, 'The number of model calls')
        assertEqualRequests(longSession, expected)
      })
    },
  },
]

async function firstRun(harness: AdapterHarness, { offloader }: Bench): Promise<ConversationResult> {
  const result = await runFirst(harness, offloader)
  assertDone(result, 'The first run does not reach the end')
  for (const id of ['call_1', 'call_3', 'call_4', 'call_5'])
    assert.ok(textOf(lastResult(lastPrompt(result), id)).includes(OFFLOADED), `The result of ${id} was not offloaded`)
  return result
}

async function secondRun(
  harness: AdapterHarness,
  { offloader }: Bench,
  first: ConversationResult,
): Promise<ConversationResult> {
  const result = await runSecond(harness, offloader, first.history)
  assertDone(result, 'The second run does not reach the end')
  return result
}

function assertEqualRequests(actual: readonly string[], expected: readonly string[]): void {
  assert.equal(actual.length, expected.length, 'The number of model calls is another')
  for (const [index, request] of expected.entries())
    assertSameText(actual[index] ?? '', request, `Request ${index} must be the same, byte for byte`)
}

/** Whether the JSON array `longer` begins with all items of the JSON array `shorter`. */
const begins = (longer: string, shorter: string): boolean => longer.startsWith(shorter.slice(0, -1))

const grows = ({ prompts }: ConversationResult): boolean =>
  prompts.every(({ messages }, index) => index === 0 || begins(messages, prompts[index - 1]?.messages ?? ''))
