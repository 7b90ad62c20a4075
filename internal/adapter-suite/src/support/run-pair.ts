import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { ContextOffloaderOptions } from '@spillway/core'
import type { AdapterHarness, Conversation, ConversationResult } from '../harness.ts'
import { assertSameText } from './assert-same-text.ts'
import { createBench, SESSION, type Bench } from './bench.ts'

/** A conversation without an offloader and a session. */
export type Script = Omit<Conversation, 'offloader' | 'session'>

/** The same conversation, run without and with an offloader. The first run shows what the adapter must not change. */
export interface RunPair {
  /** The run without an offloader. */
  readonly plain: ConversationResult
  /** The run with an offloader. */
  readonly offloaded: ConversationResult
  readonly bench: Bench
}

/** Run a conversation without and with an offloader. Rejects if the framework alone does not complete the run. */
export async function runPair(
  harness: AdapterHarness,
  script: Script,
  options: Partial<ContextOffloaderOptions> = {},
): Promise<RunPair> {
  const plain = await harness.run({ ...script, offloader: undefined, session: SESSION })
  assertDone(plain, 'The framework on its own does not reach the end (if it cannot do this, declare a gap)')
  const { result, bench } = await runOffloaded(harness, script, options)
  return { plain, offloaded: result, bench }
}

/** Run a conversation with an offloader until its end. */
export async function runOffloaded(
  harness: AdapterHarness,
  script: Script & { readonly session?: string },
  options: Partial<ContextOffloaderOptions> | Bench = {},
): Promise<{ readonly result: ConversationResult; readonly bench: Bench }> {
  const bench = 'events' in options ? options : createBench(options)
  const result = await harness.run({ session: SESSION, ...script, offloader: bench.offloader })
  assertDone(result, 'The run with an offloader does not reach the end')
  return { result, bench }
}

/** Require that a run was completed. */
export function assertDone({ text, error }: ConversationResult, otherwise: string): void {
  assert.ok(
    text === 'done',
    `${otherwise}: the run ended with ${inspect({ text, error }, { depth: 4, maxStringLength: 500 })}`,
  )
}

/** Require byte-identical prompts in both runs. */
export function assertSamePrompts({ plain, offloaded }: Pick<RunPair, 'plain' | 'offloaded'>): void {
  assert.equal(offloaded.prompts.length, plain.prompts.length, 'The number of model calls has changed')
  for (const [index, { messages }] of plain.prompts.entries())
    assertSameText(
      offloaded.prompts[index]?.messages ?? '',
      messages,
      `Prompt ${index} must be the same as without an offloader, byte for byte`,
    )
}
