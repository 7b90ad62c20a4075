import assert from 'node:assert/strict'
import type { AdapterCase } from '../adapter-case.ts'
import type { AdapterHarness, CaseTool, ConversationResult, SeenResult } from '../harness.ts'
import { assertSameText } from '../support/assert-same-text.ts'
import { createBench, type Bench } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { assertAnswer, retrieving } from '../support/retrieval-answers.ts'
import { assertDone, runOffloaded } from '../support/run-pair.ts'
import { LOG, log, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'
import { HANGING_MS, within } from '../support/within.ts'

const FIRST = 'session-a'
const SECOND = 'session-b'

const AWKWARD_SESSIONS: readonly string[] = [
  ...['user@example.com', 'User@example.com', 'arn:aws:iam::123456789012:role/Admin', '../up', '..', '.', 'a/b', 'a_b'],
  ...['a:b', 'a b', 'A B', '日本語', '👩‍👩‍👧', '__proto__', '0', 'x'.repeat(300), `${'x'.repeat(299)}y`],
]

/** Isolation of sessions from each other. */
export const sessionCases: readonly AdapterCase[] = [
  {
    id: 'sessions/at-once',
    title: 'isolates two concurrent sessions with equal calls',
    async run(harness) {
      const bench = createBench()
      let running = 0
      const { promise: areBothRunning, resolve: goOn } = Promise.withResolvers<void>()
      const runSession = async (session: string): Promise<void> => {
        const tool: CaseTool = {
          name: 'read_log',
          async call() {
            running += 1
            if (running === 2) goOn()
            await within(HANGING_MS, areBothRunning, 'The second session does not start while the first one runs')
            return { type: 'returns', content: [text(log(session))] }
          },
        }
        const result = await harness.run({
          offloader: bench.offloader,
          session,
          tools: [tool],
          model: scripted(calling('read_log'), (prompt) => retrieving(failedLine(lastResult(prompt)))),
        })
        assertDone(result, `The run of ${session} does not reach the end`)
        const prompt = lastPrompt(result)
        const reference = referenceIn(lastResult(prompt, 'call_1'))
        assertSameText(await bench.storedText(reference, session), log(session), `The text stored in ${session}`)
        assert.match(textOf(lastResult(prompt, 'retrieval_1')), new RegExp(`line 57 of ${session}:`))
        assert.deepEqual(await bench.references(session), [reference], `What is stored in ${session}`)
      }
      await Promise.all([FIRST, SECOND].map(runSession))
    },
  },
  {
    id: 'sessions/stolen-reference',
    title: 'answers a reference of another session like an unknown reference',
    async run(harness) {
      const { bench, reference } = await storeInFirst(harness)
      const invented = reference.slice(0, -12) + 'a'.repeat(12)
      const ask = (asked: string): unknown => ({ reference: asked, pattern: 'status=FAILED' })
      const answers = await askInSecond(harness, bench, ask(reference), ask(invented))
      const texts = answers.map((seen, index) => textOf(seen).replaceAll([reference, invented][index]!, 'REFERENCE'))
      for (const seen of answers) {
        assert.notEqual(seen.isError, false, 'The answer must be an error')
        assert.ok(!textOf(seen).includes('line 57 of'), 'A session has read content of another session')
      }
      assertSameText(texts[0] ?? '', texts[1] ?? '', 'A stolen reference must be answered as an invented one')
    },
  },
  {
    id: 'sessions/search',
    title: 'searches no content of another session',
    async run(harness) {
      const { bench } = await storeInFirst(harness)
      const [seen] = await askInSecond(harness, bench, { pattern: 'line 57 of' })
      assert.ok(
        !textOf(seen).includes('status=FAILED'),
        `A search has found what belongs to another session: ${textOf(seen)}`,
      )
    },
  },
  {
    id: 'sessions/suggestions',
    title: 'suggests no reference of another session',
    async run(harness) {
      const { bench, reference } = await storeInFirst(harness)
      const [seen] = await askInSecond(harness, bench, { reference: 'call_9_0_aaaaaaaaaaaaaaaaaaaa' })
      assert.ok(!textOf(seen).includes(reference), 'An answer names a reference of another session')
    },
  },
  {
    id: 'sessions/continued',
    title: 'lets a session retrieve entries of an earlier run',
    async run(harness) {
      const { bench, reference, result } = await storeInFirst(harness)
      const input = { reference, pattern: 'status=FAILED' }
      const again = await runOffloaded(
        harness,
        { session: FIRST, tools: [], history: throughJson(result.history), model: scripted(retrieving(input)) },
        bench,
      )
      const seen = lastResult(lastPrompt(again.result), 'retrieval_1')
      await assertAnswer(seen, bench, input, FIRST)
      assert.match(textOf(seen), /line 57 of main: status=FAILED/)
    },
  },
  {
    id: 'sessions/awkward-names',
    title: 'isolates sessions whose names are e-mail addresses, paths, or similar to each other',
    async run(harness) {
      const bench = createBench()
      for (const session of AWKWARD_SESSIONS) {
        const tools = [returning('read_log', text(log(session.slice(-20), 63)))]
        const { result } = await runOffloaded(harness, { session, tools, model: scripted(calling('read_log')) }, bench)
        const reference = referenceIn(lastResult(lastPrompt(result)))
        assert.deepEqual(await bench.references(session), [reference], `What is stored in ${JSON.stringify(session)}`)
      }
    },
  },
]

const failedLine = (result: SeenResult): unknown => ({ reference: referenceIn(result), pattern: 'status=FAILED' })

async function storeInFirst(
  harness: AdapterHarness,
): Promise<{ readonly bench: Bench; readonly reference: string; readonly result: ConversationResult }> {
  const tools = [returning('read_log', text(LOG))]
  const { result, bench } = await runOffloaded(harness, { session: FIRST, tools, model: scripted(calling('read_log')) })
  return { bench, reference: referenceIn(lastResult(lastPrompt(result))), result }
}

/** Ask for these inputs in the second session, one after the other. Returns the answers. */
async function askInSecond<Inputs extends readonly unknown[]>(
  harness: AdapterHarness,
  bench: Bench,
  ...inputs: Inputs
): Promise<{ [Index in keyof Inputs]: SeenResult }> {
  const tools = [returning('read_other', text(log('another part').replaceAll('FAILED', 'done')))]
  const asks = inputs.map((input, index) => retrieving(input, `retrieval_${index}`))
  const model = scripted(calling('read_other', {}, 'other_1'), ...asks)
  const { result } = await runOffloaded(harness, { session: SECOND, tools, model }, bench)
  return inputs.map((_, index) => lastResult(lastPrompt(result), `retrieval_${index}`)) as never
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
