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

/** Request of the user in these conversations. */
export const REQUEST = 'Find out which of the parts has failed.'

/** Parts of 1,000 to 1,700 tokens, by how it is counted: several fit, and each alone is large for a history. */
export const COMPACT: CaseCompaction = { mode: 'compact', maxTotalTokens: 5_000, maxToolMessageTokens: 500 }

/** Enough steps for two passes or more with {@link COMPACT}. */
export const MANY_STEPS = 15

/** Enough steps for one pass with {@link COMPACT}. */
export const STEPS_TO_COMPACT = 8

/** Write a part, 25 lines of which one has `status=FAILED`. The offloader does not change it. */
export function partOf(number: number, name = 'main'): string {
  return log(`part ${number} of ${name}`, 25).replace('status=done in 20', 'status=FAILED in 20')
}

/** Make the tool that reads a part. */
export function partReader(name = 'main'): CaseTool {
  return {
    name: 'read_part',
    call: (input) => ({
      type: 'returns',
      content: [text(partOf((input as { readonly number: number }).number, name))],
    }),
  }
}

/** Make the turns that read so many parts, in `call_1` and so on. */
export function readingParts(steps: number, first = 1): readonly ModelTurn[] {
  return Array.from({ length: steps }, (_, index) => {
    const number = first + index
    return calling('read_part', { number }, `call_${number}`)
  })
}

/** A long conversation. */
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

/** Say whether what the model sees of a result is a reference. */
export const isReference = (result: SeenResult): boolean => textOf(result).includes(OFFLOADED)

/** Return the indexes of prompts with references in place of results that the previous prompt had in full. */
export function passesIn(prompts: readonly SeenPrompt[]): readonly number[] {
  return Array.from(prompts, (_, index) => index).filter((index) => {
    const before = prompts[index - 1]?.results ?? []
    const now = prompts[index]?.results ?? []
    return before.some((result, position) => !isReference(result) && isReference(now[position] ?? result))
  })
}

/** Return how many parts can be read until the history is compacted for the first time. */
export async function stepsToFirstPass(harness: AdapterHarness, compaction = COMPACT): Promise<number> {
  const { result } = await runLong(harness, { turns: readingParts(STEPS_TO_COMPACT), compaction })
  const [first] = passesIn(result.prompts)
  assert.ok(first !== undefined, `Nothing was compacted in ${STEPS_TO_COMPACT} steps of more than 1,000 tokens each`)
  return first
}
