import assert from 'node:assert/strict'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'
import type { ModelTurn, SeenPrompt } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, callingAll, returning } from '../support/case-tools.ts'
import { overriddenStorage } from '../support/overridden-storage.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { runOffloaded } from '../support/run-pair.ts'
import { LOG, text } from '../support/sample-content.ts'
import { scripted, type ScriptedTurn } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

const TOOLS = [returning('read_log', text(LOG)), returning('read_status', text('all is well'))]
const status = (id: string): ReturnType<typeof calling> => calling('read_status', {}, id)

/** Two turns: the first reads the log, and the second calls another tool. `reference` returns the log's reference. */
function readingLog(): { readonly turns: readonly ScriptedTurn[]; readonly reference: () => string } {
  let reference = ''
  const remember = (prompt: SeenPrompt): ModelTurn => {
    reference = referenceIn(lastResult(prompt))
    return status('call_2')
  }
  return { turns: [calling('read_log'), remember], reference: () => reference }
}

/** Counting of model calls, which determines when unused content is evicted. */
export const turnCases: readonly AdapterCase[] = [
  {
    id: 'turns/one-for-each-model-call',
    title: 'ends one turn of its session for each model call, for any number of tool calls',
    async run(harness) {
      const ended: string[] = []
      const storage = overriddenStorage(new InMemoryStorage(), (inner, segments) => ({
        endTurn() {
          ended.push(segments.join('/'))
          return inner.endTurn()
        },
      }))
      const calls = [1, 2, 3].map((index) => ({ id: `call_${index}`, name: 'read_status', input: {} }))
      const model = scripted(callingAll(...calls), calling('read_log', {}, 'call_4'), status('call_5'))
      const { result } = await runOffloaded(harness, { tools: TOOLS, model }, { storage })
      assert.equal(result.prompts.length, 4)
      assert.deepEqual(ended, [SESSION, SESSION, SESSION, SESSION], 'The sessions of the turns that ended')
    },
  },
  {
    id: 'turns/across-runs',
    title: 'counts the turns of every run of a session',
    async run(harness) {
      const bench = createBench({ storage: new InMemoryStorage({ evictAfterTurns: 4 }) })
      const first = await runOffloaded(harness, { tools: TOOLS, model: scripted(calling('read_log')) }, bench)
      const reference = referenceIn(lastResult(lastPrompt(first.result)))
      for (let run = 0; run < 6; run += 1) await runOffloaded(harness, { tools: TOOLS, model: scripted() }, bench)
      const evicted = bench.events.flatMap((event) => (event.type === 'eviction' ? event.evicted : []))
      assert.deepEqual(
        evicted.map((entry) => entry.reference),
        [reference],
        'After 6 runs of one turn each',
      )
    },
  },
  {
    id: 'turns/evicted',
    title: 'answers a retrieval of an evicted entry with the name of the tool that can be run again',
    async run(harness) {
      const bench = createBench({ storage: new InMemoryStorage({ evictAfterTurns: 2 }) })
      const log = readingLog()
      const { result } = await runOffloaded(
        harness,
        {
          tools: TOOLS,
          model: scripted(...log.turns, ...[3, 4, 5, 6].map((index) => status(`call_${index}`)), () =>
            retrieving({ reference: log.reference(), pattern: 'status=FAILED' }),
          ),
        },
        bench,
      )
      const seen = lastResult(lastPrompt(result), 'retrieval_1')
      assert.notEqual(seen.isError, false, 'The answer must be an error')
      assert.match(textOf(seen), /Run the tool "read_log" again/)
      const evicted = bench.events.flatMap((event) => (event.type === 'eviction' ? event.evicted : []))
      assert.deepEqual(
        evicted.map((entry) => entry.reference),
        [log.reference()],
        'The eviction event',
      )
    },
  },
  {
    id: 'turns/not-too-early',
    title: 'keeps content whose last use was at most the allowed number of turns ago',
    async run(harness) {
      const log = readingLog()
      const { result } = await runOffloaded(
        harness,
        {
          tools: TOOLS,
          model: scripted(...log.turns, status('call_3'), status('call_4'), () =>
            retrieving({ reference: log.reference(), pattern: 'status=FAILED' }),
          ),
        },
        { storage: new InMemoryStorage({ evictAfterTurns: 6 }) },
      )
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_1')), /line 57 of main/)
    },
  },
  {
    id: 'turns/use-keeps',
    title: 'keeps content that is retrieved again and again',
    async run(harness) {
      const log = readingLog()
      const { result } = await runOffloaded(
        harness,
        {
          tools: TOOLS,
          model: scripted(
            ...log.turns,
            ...[1, 2, 3, 4, 5, 6].map(
              (index) => () =>
                retrieving({ reference: log.reference(), pattern: 'status=FAILED' }, `retrieval_${index}`),
            ),
          ),
        },
        { storage: new InMemoryStorage({ evictAfterTurns: 2 }) },
      )
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_6')), /line 57 of main/)
    },
  },
]
