import assert from 'node:assert/strict'
import type { ContextOffloaderOptions } from '@spillway/core'
import type {
  AdapterHarness,
  CaseCompaction,
  CaseTool,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
  SeenResult,
} from '../harness.ts'
import { createBench, SESSION, type Bench } from './bench.ts'
import { calling, returning } from './case-tools.ts'
import { assertDone } from './run-pair.ts'
import { log, text } from './sample-content.ts'
import { scripted, type ScriptedTurn } from './scripted-model.ts'
import { OFFLOADED, textOf } from './seen-results.ts'

/** The request of the user in these conversations. */
export const REQUEST = 'Find out which of the parts has failed.'

/** Parts have 1,000 to 1,700 tokens, depending on the counter: each is over the limit of a result, but several fit. */
export const COMPACT: CaseCompaction = { mode: 'compact', maxTotalTokens: 5_000, maxToolMessageTokens: 500 }

/** Number of steps that cause two passes or more with {@link COMPACT}. */
export const MANY_STEPS = 15

/** Number of steps that cause one pass with {@link COMPACT}. */
export const STEPS_TO_COMPACT = 8

/** Write a part: 25 lines, one with `status=FAILED`. It is too small to be offloaded. */
export function partOf(number: number, name = 'main'): string {
  return log(`part ${number} of ${name}`, 25).replace('status=done in 20', 'status=FAILED in 20')
}

/** Create the tool that reads a part. */
export function partReader(name = 'main'): CaseTool {
  return {
    name: 'read_part',
    call: (input) => ({
      type: 'returns',
      content: [text(partOf((input as { readonly number: number }).number, name))],
    }),
  }
}

/** Create turns that each read a part, with the ids `call_1` and so on. */
export function readingParts(steps: number, first = 1): readonly ModelTurn[] {
  return Array.from({ length: steps }, (_, index) => {
    const number = first + index
    return calling('read_part', { number }, `call_${number}`)
  })
}

/** Options of a long conversation. */
export interface LongConversation extends Partial<Omit<Conversation, 'model'>> {
  readonly turns: readonly ScriptedTurn[]
}

/** Run a long conversation to its end. */
export async function runLong(
  harness: AdapterHarness,
  { turns, ...conversation }: LongConversation,
  options: Bench | Partial<ContextOffloaderOptions> = {},
): Promise<{ readonly result: ConversationResult; readonly bench: Bench }> {
  const bench = 'events' in options ? options : createBench(options)
  const result = await harness.run({
    offloader: bench.offloader,
    session: SESSION,
    tools: [partReader(), returning('read_status', text('all is well'))],
    userMessage: REQUEST,
    ...conversation,
    model: scripted(...turns),
  })
  assertDone(result, 'A run with compaction does not reach the end')
  return { result, bench }
}

/** Return whether the model sees a reference instead of a result. */
export const isReference = (result: SeenResult): boolean => textOf(result).includes(OFFLOADED)

/** Return the indexes of prompts in which references replace results that the previous prompt had in full. */
export function passesIn(prompts: readonly SeenPrompt[]): readonly number[] {
  return Array.from(prompts, (_, index) => index).filter((index) => {
    const before = prompts[index - 1]?.results ?? []
    const now = prompts[index]?.results ?? []
    return before.some((result, position) => !isReference(result) && isReference(now[position] ?? result))
  })
}

/** Return the number of parts that can be read before the history is compacted for the first time. */
export async function stepsToFirstPass(harness: AdapterHarness, compaction = COMPACT): Promise<number> {
  const { result } = await runLong(harness, { turns: readingParts(STEPS_TO_COMPACT), compaction })
  const [first] = passesIn(result.prompts)
  assert.ok(first !== undefined, `Nothing was compacted in ${STEPS_TO_COMPACT} steps of more than 1,000 tokens each`)
  return first
}
