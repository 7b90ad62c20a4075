import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { StorageError } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, ConversationResult, SeenPrompt, SeenResult } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, SESSION, type Bench } from '../support/bench.ts'
import { behaving, calling, callingAll, returning } from '../support/case-tools.ts'
import { eventLoopTurns } from '../support/event-loop-turns.ts'
import {
  COMPACT,
  isReference,
  MANY_STEPS,
  partOf,
  partReader,
  passesIn,
  readingParts,
  runLong,
  STEPS_TO_COMPACT,
  stepsToFirstPass,
} from '../support/long-conversation.ts'
import { overriddenStorage } from '../support/overridden-storage.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { LOG, text } from '../support/sample-content.ts'
import { assertSameResult, lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'
import { withDirectory } from '../support/with-directory.ts'

/** Compaction of histories, if the user enables it. */
export const historyCases: readonly AdapterCase[] = [
  {
    id: 'history/below-the-limit',
    title: 'leaves a history within its limit unchanged to the last byte, and requests no summary',
    async run(harness) {
      const turns = readingParts(5)
      const systemPrompt = 'You are brief.'
      const summarize = (): never => assert.fail('A summary was requested')
      const compaction = { maxTotalTokens: 100_000, maxToolMessageTokens: 500, summarize }
      const { result: plain } = await runLong(harness, { turns, systemPrompt })
      const { result, bench } = await runLong(harness, { turns, systemPrompt, compaction })
      assertSameSeen(result, plain)
      assert.deepEqual(await bench.references(), [], 'Something was stored')
    },
  },
  {
    id: 'history/over-the-limit',
    title: 'replaces only older large results by references, and keeps every call with its result',
    async run(harness) {
      const tools = [
        partReader(),
        returning('read_status', text('all is well')),
        behaving('build', { type: 'returns-error', text: partOf(0, 'the build') }),
      ]
      const two = ['a', 'b'].map((id) => ({ id: `call_${id}`, name: 'read_part', input: { number: 40 } }))
      const turns = [
        calling('build', {}, 'call_build'),
        calling('read_status', {}, 'call_status'),
        callingAll(...two),
        ...readingParts(STEPS_TO_COMPACT),
      ]
      const { result: plain } = await runLong(harness, { turns, tools })
      const { result } = await runLong(harness, { turns, tools, compaction: COMPACT })
      assert.ok(passesIn(result.prompts).length > 0, 'No result has become a reference')
      for (const [index, prompt] of result.prompts.entries()) assertPaired(prompt, plain.prompts[index])
      const { results } = lastPrompt(result)
      for (const id of ['call_build', 'call_a', 'call_b', 'call_1'])
        assert.ok(isReference(lastResult(lastPrompt(result), id)), `The result of ${id} is old and large, and whole`)
      assert.equal(textOf(lastResult(lastPrompt(result), 'call_status')), 'all is well')
      assert.equal(textOf(results.at(-1)!), partOf(STEPS_TO_COMPACT), 'The newest result must be whole')
    },
  },
  {
    id: 'history/arguments',
    title: 'replaces large arguments of older calls by references, as it replaces results',
    async run(harness) {
      const written = partOf(0, 'a file')
      const turns = [
        calling('save_note', { path: '/a', text: written }, 'call_write'),
        ...readingParts(STEPS_TO_COMPACT),
      ]
      const tools = [partReader(), returning('save_note', text('written'))]
      const { result, bench } = await runLong(harness, { turns, tools, compaction: COMPACT })
      const [line = ''] = written.split('\n').slice(12)
      // Mastra repeats the arguments of a call next to the result, where other frameworks omit them.
      const timesIn = (prompt: SeenPrompt | undefined): number => (prompt?.messages.split(line).length ?? 0) - 1
      const [before, after] = [timesIn(result.prompts[1]), timesIn(lastPrompt(result))]
      assert.ok(before > 0, 'The arguments must be whole before the history is compacted')
      assert.ok(after < before, 'The large arguments are still in the prompt')
      const stored = await Promise.all((await bench.references()).map((reference) => bench.storedText(reference)))
      assert.ok(stored.includes(written), 'The arguments must be stored byte for byte')
    },
  },
  {
    id: 'history/outputs',
    title: 'does not change the results that the program gets',
    async run(harness) {
      const turns = readingParts(STEPS_TO_COMPACT)
      const { result: plain } = await runLong(harness, { turns })
      const { result } = await runLong(harness, { turns, compaction: COMPACT })
      // `deepEqual` would compute a diff, which takes a minute for long texts.
      const isSame = isDeepStrictEqual(result.outputs, plain.outputs)
      assert.ok(isSame, 'The program must see of results what it sees without compaction')
    },
  },
  {
    id: 'history/retrieves',
    title: 'lets the model retrieve compacted results in the same session',
    async run(harness) {
      const turns = [
        ...readingParts(STEPS_TO_COMPACT),
        (prompt: SeenPrompt) =>
          retrieving({ reference: referenceIn(lastResult(prompt, 'call_1')), pattern: 'status=FAILED' }),
      ]
      const { result, bench } = await runLong(harness, { turns, compaction: COMPACT })
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_1')), /line 21 of part 1 of main: status=FAILED/)
      const reference = referenceIn(lastResult(lastPrompt(result), 'call_1'))
      assertSameText(await bench.storedText(reference), partOf(1), 'What is stored of the first result')
    },
  },
  {
    id: 'history/no-trickle',
    title: 'compacts in few passes, appends to prompts between passes, and changes nothing in a second pass',
    async run(harness) {
      const turns = readingParts(MANY_STEPS)
      // The instructions of some frameworks count, and leave too little room under a smaller limit.
      const { result } = await runLong(harness, { turns, compaction: { ...COMPACT, maxTotalTokens: 10_000 } })
      const passes = passesIn(result.prompts)
      assert.ok(passes.length > 1, `Expected several passes in ${MANY_STEPS} steps; there were ${passes.length}`)
      for (const [index, pass] of passes.entries())
        assert.ok(pass - (passes[index - 1] ?? 0) > 2, `Prompts ${passes.join(', ')} change what was before them`)
      const grows = ({ prompts }: ConversationResult, index: number): boolean =>
        prompts[index]!.messages.startsWith(prompts[index - 1]!.messages.slice(0, -1))
      const changed: number[] = []
      for (let index = 1; index < result.prompts.length; index += 1) {
        if (passes.includes(index)) continue
        if (!grows(result, index)) changed.push(index)
        const { results } = result.prompts[index - 1]!
        assertSameResults(result.prompts[index]!, results, 'What the prompt before showed')
      }
      if (changed.length > 0) {
        const { result: plain } = await runLong(harness, { turns })
        for (const index of changed)
          assert.ok(!grows(plain, index), `Prompt ${index} changes what the prompt before showed`)
      }
      const last = lastPrompt(result).results
      for (const prompt of result.prompts)
        for (const [position, seen] of prompt.results.entries())
          if (isReference(seen)) assertSameResult(seen, last[position]!, 'A reference must stay as it is')
    },
  },
  {
    id: 'history/replacement-shrinks',
    title: 'shortens previews of offloaded results, keeps their references, and stores nothing twice',
    async run(harness) {
      const turns = [calling('read_log', {}, 'call_log'), ...readingParts(STEPS_TO_COMPACT)]
      const tools = [partReader(), returning('read_log', text(LOG))]
      const { result, bench } = await runLong(harness, { turns, tools, compaction: COMPACT })
      const first = lastResult(result.prompts[1]!, 'call_log')
      const last = lastResult(lastPrompt(result), 'call_log')
      assert.ok(textOf(last).length < textOf(first).length / 2, 'The replacement is not shorter')
      assert.equal(referenceIn(last), referenceIn(first))
      const stored = (await bench.references()).filter((reference) => reference.startsWith('call_log'))
      assert.deepEqual(stored, [referenceIn(first)])
    },
  },
  {
    id: 'history/kept-in-storage',
    title: 'keeps referenced entries in a storage that evicts unused entries after some turns',
    async run(harness) {
      const statuses = Array.from({ length: 14 }, (_, index) => calling('read_status', {}, `status_${index}`))
      const turns = [
        ...readingParts(7),
        ...statuses,
        (prompt: SeenPrompt) =>
          retrieving({ reference: referenceIn(lastResult(prompt, 'call_1')), pattern: 'status=FAILED' }),
      ]
      const storage = new InMemoryStorage({ evictAfterTurns: 9 })
      const { result } = await runLong(harness, { turns, compaction: COMPACT }, { storage })
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_1')), /line 21 of part 1 of main: status=FAILED/)
    },
  },
  {
    id: 'history/turns',
    title: 'ends one turn for each model call, even if histories are compacted',
    async run(harness) {
      const ended: string[] = []
      const storage = overriddenStorage(new InMemoryStorage(), (inner, segments) => ({
        endTurn() {
          ended.push(segments.join('/'))
          return inner.endTurn()
        },
      }))
      const { result } = await runLong(harness, { turns: readingParts(7), compaction: COMPACT }, { storage })
      assert.deepEqual(ended, Array(result.prompts.length).fill(SESSION), 'The sessions of the turns that ended')
    },
  },
  {
    id: 'history/outage',
    title: 'leaves the history unchanged while the storage fails, and continues the run',
    async run(harness) {
      const turns = readingParts(STEPS_TO_COMPACT)
      const fail = (): Promise<never> => Promise.reject(new StorageError('unavailable', 'The disk did not answer.'))
      const storage = overriddenStorage(new InMemoryStorage(), () => ({ store: fail, storeStream: fail }))
      const { result: plain } = await runLong(harness, { turns })
      const { result } = await runLong(harness, { turns, compaction: COMPACT }, { storage })
      assertSameSeen(result, plain)
    },
  },
  {
    id: 'history/sessions-at-once',
    title: 'isolates two concurrent sessions with equal calls',
    async run(harness) {
      const bench = createBench()
      const sessions = ['session-a', 'session-b']
      const alone = await Promise.all(sessions.map((session) => runSession(harness, session, createBench())))
      const together = await Promise.all(sessions.map((session) => runSession(harness, session, bench)))
      for (const [index, result] of together.entries()) {
        assertSameSeen(result, alone[index]!)
        const reference = referenceIn(lastResult(lastPrompt(result), 'call_1'))
        const session = sessions[index]!
        assertSameText(await bench.storedText(reference, session), partOf(1, session), `What is stored in ${session}`)
      }
    },
  },
  {
    id: 'history/resumed',
    title: 'writes byte-identical references if another process continues with the same storage',
    async run(harness) {
      const steps = (await stepsToFirstPass(harness)) + 1
      await withDirectory(async (directory) => {
        const bench = (): Bench => createBench({ storage: new FileStorage(directory) })
        const here = bench()
        const { result: first } = await runLong(harness, { turns: readingParts(steps), compaction: COMPACT }, here)
        const history: unknown = JSON.parse(JSON.stringify(first.history))
        const turns = [
          (prompt: SeenPrompt) =>
            retrieving({ reference: referenceIn(lastResult(prompt, 'call_1')), pattern: 'status=FAILED' }),
          ...readingParts(STEPS_TO_COMPACT, 50),
        ]
        const goOn = { turns, history, userMessage: 'Go on.', compaction: COMPACT }
        const { result: second } = await runLong(harness, goOn, here)
        const { result: elsewhere } = await runLong(harness, goOn, bench())
        const { results } = lastPrompt(first)
        assertSameResults(elsewhere.prompts[0]!, results, 'What was shown before')
        assertSameSeen(elsewhere, second)
        assert.match(textOf(lastResult(elsewhere.prompts[1]!, 'retrieval_1')), /line 21 of part 1 of main/)
      })
    },
  },
]

async function runSession(harness: AdapterHarness, session: string, bench: Bench): Promise<ConversationResult> {
  const reader = partReader(session)
  const slowly = {
    ...reader,
    // This lets the steps of two runs alternate.
    call: async (...parameters: Parameters<typeof reader.call>) => {
      await eventLoopTurns(1)
      return reader.call(...parameters)
    },
  }
  const turns = readingParts(STEPS_TO_COMPACT)
  return (await runLong(harness, { turns, session, tools: [slowly], compaction: COMPACT }, bench)).result
}

/** Require that a prompt begins with these results. */
function assertSameResults(prompt: SeenPrompt, expected: readonly SeenResult[], what: string): void {
  for (const [index, result] of expected.entries()) {
    const seen = prompt.results[index]
    assert.ok(seen !== undefined, `A result is gone: ${result.toolCallId}`)
    assertSameResult(seen, result, `${what} must stay as it was`)
  }
}

/** Require byte-identical prompts in both runs. */
function assertSameSeen(actual: ConversationResult, expected: ConversationResult): void {
  assert.equal(actual.prompts.length, expected.prompts.length, 'The number of model calls has changed')
  for (const [index, { messages, system }] of expected.prompts.entries()) {
    assertSameText(actual.prompts[index]?.messages ?? '', messages, `Prompt ${index} must be the same, byte for byte`)
    assert.equal(actual.prompts[index]?.system, system, `The system prompt of prompt ${index}`)
  }
}

/** Require the results of a run without compaction, with equal order and marks, and each call as often. */
function assertPaired({ results, messages }: SeenPrompt, plain: SeenPrompt | undefined): void {
  const marks = (prompt: Pick<SeenPrompt, 'results'>): unknown =>
    prompt.results.map(({ toolCallId, toolName, isError }) => ({ toolCallId, toolName, isError }))
  assert.deepEqual(marks({ results }), marks({ results: plain?.results ?? [] }), 'A result is missing or has changed')
  for (const { toolCallId } of results) {
    const count = (json = ''): number => json.split(JSON.stringify(toolCallId)).length - 1
    assert.equal(count(messages), count(plain?.messages), `The number of times that the prompt names ${toolCallId}`)
  }
  for (const [position, seen] of results.entries())
    if (!isReference(seen)) assertSameResult(seen, plain!.results[position]!)
}
