import assert from 'node:assert/strict'
import type { SummaryRequest } from '@spillway/history'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseCompaction, ModelTurn, SeenPrompt } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { COMPACT, isReference, readingParts, REQUEST, runLong } from '../support/long-conversation.ts'
import { log, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult } from '../support/seen-results.ts'
import { hangingMs, within } from '../support/within.ts'

const SYSTEM = 'You are brief.'
/** Number of steps that cause one summary. */
const STEPS = 13

/** Tools whose results are too small to become references, but fill a history together. */
const NOTES = [returning('read_note', text(log('a note', 8)))]
const readingNotes = (steps: number): readonly ModelTurn[] =>
  Array.from({ length: steps }, (_, index) => calling('read_note', {}, `call_${index + 1}`))
const COMPRESS: CaseCompaction = { maxTotalTokens: 4_000, maxToolMessageTokens: 1_500 }

/** Summaries of older messages, if the user gives a model for them. */
export const summaryCases: readonly AdapterCase[] = [
  {
    id: 'history/summary',
    title: 'replaces older messages by one summary in the system prompt, and keeps the request of the user',
    async run(harness) {
      const { compaction } = summarizing()
      const { result } = await runLong(harness, {
        turns: readingNotes(STEPS),
        tools: NOTES,
        systemPrompt: SYSTEM,
        compaction,
      })
      assertSummarised(lastPrompt(result), SYSTEM)
      assert.ok(result.prompts.length === STEPS + 1, 'The number of model calls has changed')
    },
  },
  {
    id: 'history/summary-without-system-prompt',
    title: 'adds a system prompt for the summary if the agent has none',
    async run(harness) {
      const { compaction } = summarizing()
      const { result } = await runLong(harness, { turns: readingNotes(STEPS), tools: NOTES, compaction })
      assertSummarised(lastPrompt(result), '')
    },
  },
  {
    id: 'history/summaries-merge',
    title: 'keeps the summary in later calls, passes it to the next summary, and never has two summaries',
    async run(harness) {
      const { compaction, requests } = summarizing()
      const steps = 26
      const { result } = await runLong(harness, {
        turns: readingNotes(steps),
        tools: NOTES,
        systemPrompt: SYSTEM,
        compaction,
      })
      assert.ok(requests.length > 1, `Expected several summaries; ${requests.length} were asked for`)
      assert.ok(requests.length < steps / 3, `${requests.length} summaries in ${steps} steps`)
      for (const [index, { previousSnapshot }] of requests.entries())
        assert.equal(previousSnapshot?.includes(`Summary ${index}.`) ?? false, index > 0, 'The previous summary')
      const numbers = result.prompts.map(({ system = '' }) => Number(/Summary (\d+)\./.exec(system)?.[1] ?? 0))
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
        'The summaries of the prompts',
      )
      for (const prompt of result.prompts) assert.ok(countSnapshots(prompt) <= 1, 'A prompt has two summaries')
    },
  },
  {
    id: 'history/summary-steered',
    title: "passes the user's instructions to the model that writes the summary",
    async run(harness) {
      const { compaction, requests } = summarizing()
      const instructions = 'Keep the names of all parts.'
      await runLong(harness, { turns: readingNotes(STEPS), tools: NOTES, compaction: { ...compaction, instructions } })
      assert.ok(requests[0]?.prompt.includes(instructions))
    },
  },
  {
    id: 'history/summary-fails',
    title: 'continues with a compacted history if the summary model fails, and loses no content',
    async run(harness) {
      const compaction: CaseCompaction = {
        ...COMPACT,
        mode: 'auto',
        compactRatioThreshold: 0,
        summarize: () => Promise.reject(new Error('The model is overloaded.')),
      }
      const turns = readingParts(8)
      const { result } = await runLong(harness, { turns, systemPrompt: SYSTEM, compaction })
      const { results, system = '' } = lastPrompt(result)
      assert.deepEqual(
        results.map(({ toolCallId }) => toolCallId),
        turns.map((_, index) => `call_${index + 1}`),
        'The results of the last prompt',
      )
      assert.ok(isReference(lastResult(lastPrompt(result), 'call_1')), 'The first result is whole')
      assertOwnPrompt(system, SYSTEM)
      assert.equal(countSnapshots(lastPrompt(result)), 0, 'There is a summary, although the model failed')
    },
  },
  {
    id: 'history/summary-aborted',
    title: 'ends an aborted run promptly while a summary is written, and aborts the call of the summary model',
    async run(harness) {
      const controller = new AbortController()
      let given: AbortSignal | undefined
      const compaction: CaseCompaction = {
        ...COMPRESS,
        summarize: ({ signal }) => {
          given = signal
          setImmediate(() => controller.abort())
          return new Promise(() => {})
        },
      }
      const run = harness.run({
        offloader: createBench().offloader,
        session: SESSION,
        tools: NOTES,
        model: scripted(...readingNotes(STEPS)),
        compaction,
        signal: controller.signal,
      })
      const limit = hangingMs(harness, 'history/summary-aborted')
      const { text: end } = await within(limit, run, 'The aborted run waits for a summary')
      assert.ok(given !== undefined, 'No summary was requested')
      assert.ok(given.aborted, 'The signal of the run did not reach the model for summaries')
      assert.equal(end, undefined, 'The run came to its end, though it was aborted')
    },
  },
]

/** Create a `summarize` that writes `Summary 1.` and so on, and records its requests. */
function summarizing(): { readonly compaction: CaseCompaction; readonly requests: readonly SummaryRequest[] } {
  const requests: SummaryRequest[] = []
  const summarize = async (request: SummaryRequest): Promise<string> => {
    const number = requests.push(request)
    const goal = '<overall_goal>Find the part that has failed.</overall_goal>'
    return `<state_snapshot>${goal}<key_knowledge>Summary ${number}.</key_knowledge></state_snapshot>`
  }
  return { compaction: { ...COMPRESS, summarize }, requests }
}

const countSnapshots = ({ system = '' }: SeenPrompt): number => system.split('<state_snapshot>').length - 1

/** Require the agent's own system prompt before any summary. A framework may add text to the prompt. */
function assertOwnPrompt(system: string, own: string): void {
  const [before = ''] = system.split('<state_snapshot>', 1)
  assert.ok(before.includes(own), `The agent's own system prompt is gone: ${JSON.stringify(system)}`)
}

function assertSummarised(prompt: SeenPrompt, own: string): void {
  const { system = '', messages, results } = prompt
  assert.equal(countSnapshots(prompt), 1, `The system prompt must have one summary; it is ${JSON.stringify(system)}`)
  assertOwnPrompt(system, own)
  assert.match(system, /Summary \d+\./)
  assert.ok(messages.includes(JSON.stringify(REQUEST).slice(1, -1)), 'The request of the user is missing')
  assert.ok(!messages.includes('"call_1"'), 'Summarized messages are still in the prompt')
  const ids = results.map(({ toolCallId }) => toolCallId)
  const expected = Array.from(ids, (_, index) => `call_${STEPS - ids.length + 1 + index}`)
  assert.deepEqual(ids, expected, 'The results of the last prompt must be the newest ones')
  for (const id of ids) assert.ok(messages.split(JSON.stringify(id)).length > 2, `The call ${id} is missing`)
}
