import assert from 'node:assert/strict'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseTool } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, callingAll, returning } from '../support/case-tools.ts'
import { eventLoopTurns } from '../support/event-loop-turns.ts'
import { assertDone, assertSamePrompts, runOffloaded, runPair } from '../support/run-pair.ts'
import { LOG, log, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn } from '../support/seen-results.ts'

const HOSTILE_IDS = [
  ['path', 'that is a path', '../../../etc/passwd'],
  ['long', 'of 1,500 characters', 'call_'.padEnd(1_500, 'x')],
  ['emoji', 'of emoji and control characters', '👩‍👩‍👧\u0000\n\u202e"'],
  ['prototype', 'that is the name of a property of every object', '__proto__'],
  ['empty', 'that is empty', ''],
] as const

/** Reads the log that its input names. The first log takes the longest time. */
const readLog: CaseTool = {
  name: 'read_log',
  async call(input) {
    const { name } = input as { readonly name: number }
    await eventLoopTurns(100 - 20 * name)
    return { type: 'returns', content: [text(log(`log ${name}`))] }
  },
}

/** Separation of tool calls by their ids. */
export const callCases: readonly AdapterCase[] = [
  {
    id: 'calls/parallel',
    title: 'assigns each large result of parallel calls to its own call, in any order of their ends',
    async run(harness) {
      const calls = [0, 1, 2].map((name) => ({ id: `call_${name}`, name: 'read_log', input: { name } }))
      const { plain, offloaded, bench } = await runPair(harness, {
        tools: [readLog],
        model: scripted(callingAll(...calls)),
      })
      const order = (run: typeof plain): readonly string[] =>
        lastPrompt(run).results.map(({ toolCallId }) => toolCallId)
      assert.deepEqual(order(offloaded), order(plain), 'The order of the results has changed')
      for (const { id, input } of calls) {
        const reference = referenceIn(lastResult(lastPrompt(offloaded), id))
        assertSameText(await bench.storedText(reference), log(`log ${input.name}`), `The stored text of ${id}`)
      }
      assert.equal((await bench.references()).length, calls.length)
    },
  },
  {
    id: 'calls/equal-ids',
    title:
      'separates results with equal call ids but different content, since providers count calls from the start in each run',
    async run(harness) {
      const bench = createBench()
      const references: string[] = []
      for (const name of ['first', 'second']) {
        const tools = [returning('read_log', text(log(name)))]
        const { result } = await runOffloaded(harness, { tools, model: scripted(calling('read_log')) }, bench)
        references.push(referenceIn(lastResult(lastPrompt(result))))
      }
      assert.notEqual(references[0], references[1], 'Different results have one reference')
      for (const [index, name] of ['first', 'second'].entries())
        assertSameText(
          await bench.storedText(references[index] ?? ''),
          log(name),
          `The stored text of the ${name} result`,
        )
    },
  },
  {
    id: 'calls/equal-ids-in-one-run',
    title: 'stores separate results for calls with equal ids, and otherwise treats the calls like the framework',
    async run(harness) {
      let count = 0
      const tool: CaseTool = {
        name: 'read_log',
        call: () => ({ type: 'returns', content: [text(log(`call ${(count += 1)}`))] }),
      }
      const script = { tools: [tool], model: scripted(calling('read_log'), calling('read_log')) }
      const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
      count = 0
      const bench = createBench()
      const offloaded = await harness.run({ ...script, offloader: bench.offloader, session: SESSION })
      assert.equal(offloaded.text, plain.text, 'The run must end as it does without an offloader')
      assert.equal(offloaded.prompts.length, plain.prompts.length, 'The number of model calls has changed')
      const { results } = lastPrompt(offloaded)
      assert.equal(results.length, lastPrompt(plain).results.length, 'The number of results has changed')
      for (const [index, result] of results.entries())
        assertSameText(
          await bench.storedText(referenceIn(result)),
          log(`call ${index + 1}`),
          `The stored text of result ${index}`,
        )
    },
  },
  {
    id: 'calls/equal-results',
    title: 'replaces equal results of equal calls by the same bytes, and stores them once',
    async run(harness) {
      const bench = createBench()
      const script = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log')) }
      const runs = [await runOffloaded(harness, script, bench), await runOffloaded(harness, script, bench)]
      const [first, second] = runs.map(({ result }) => lastResult(lastPrompt(result)))
      assert.ok(first !== undefined)
      assert.deepEqual(second, first)
      assert.deepEqual(await bench.references(), [referenceIn(first)])
    },
  },
  ...HOSTILE_IDS.map(([name, what, id]): AdapterCase => ({
    id: `calls/hostile-id-${name}`,
    title: `offloads the result of a call with an id ${what}`,
    async run(harness) {
      const script = { tools: [returning('read_log', text(LOG))], model: scripted(calling('read_log', {}, id)) }
      const { offloaded, bench } = await runPair(harness, script)
      const reference = referenceIn(lastResult(lastPrompt(offloaded)))
      assertSameText(await bench.storedText(reference), LOG, 'The stored text must be the text that the tool returned')
      assert.equal(lastResult(lastPrompt(offloaded)).toolCallId, id, 'The id of the call has changed')
    },
  })),
  {
    id: 'calls/as-the-model-made-them',
    title: 'runs each call once, with its original id and input, even if the input is large',
    async run(harness) {
      const inputs: readonly unknown[] = [{ text: LOG }, { nested: { list: [1, null, { a: 'b' }] } }, {}]
      const seen: unknown[] = []
      const tool: CaseTool = {
        name: 'write_log',
        call(input, { toolCallId }) {
          seen.push({ id: toolCallId, input })
          return { type: 'returns', content: [text('written')] }
        },
      }
      const calls = inputs.map((input, index) => ({ id: `call_${index}`, name: 'write_log', input }))
      const pair = await runPair(harness, { tools: [tool], model: scripted(...calls.map((call) => callingAll(call))) })
      const expected = calls.map(({ id, input }) => ({ id, input }))
      assert.deepEqual(
        seen,
        [...expected, ...expected],
        'The calls of the run without an offloader, then of that with one',
      )
      assertSamePrompts(pair)
    },
  },
  {
    id: 'calls/no-such-tool',
    title: 'leaves a call of an unknown tool to the framework',
    async run(harness) {
      const script = { tools: [returning('read_log', text('small'))], model: scripted(calling('write_log')) }
      const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
      const offloaded = await harness.run({ ...script, offloader: createBench().offloader, session: SESSION })
      assert.equal(offloaded.text, plain.text, 'The run must end as it does without an offloader')
      assert.equal(offloaded.prompts.length, plain.prompts.length, 'The number of model calls has changed')
      const marks = (run: typeof plain): unknown => run.prompts.at(-1)?.results.map(({ isError }) => isError)
      assert.deepEqual(marks(offloaded), marks(plain), 'The error marks that the model sees')
    },
  },
  {
    id: 'calls/many-at-once',
    title: 'isolates ten concurrent conversations in one process',
    async run(harness) {
      const bench = createBench()
      const sessions = Array.from({ length: 10 }, (_, index) => `session-${index}`)
      await Promise.all(
        sessions.map(async (session) => {
          const content = log(session, 75)
          const tools = [returning('read_log', text(content))]
          const result = await harness.run({
            offloader: bench.offloader,
            session,
            tools,
            model: scripted(calling('read_log')),
          })
          assertDone(result, `The run of ${session} does not reach the end`)
          const reference = referenceIn(lastResult(lastPrompt(result)))
          assertSameText(await bench.storedText(reference, session), content, `What is stored in ${session}`)
        }),
      )
    },
  },
]
