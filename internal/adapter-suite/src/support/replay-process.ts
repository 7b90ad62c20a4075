/** The process of `run-in-new-process.ts`: takes one job, answers, and ends. */
import { inspect } from 'node:util'
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import type { AdapterHarness, ConversationResult } from '../harness.ts'
import { runFirst, runSecond } from './replayed-conversation.ts'
import type { ReplayAnswer, Replayed, ReplayJob, ReplayRun } from './run-in-new-process.ts'
import { lastPrompt, lastResult, textOf } from './seen-results.ts'

process.once('message', (job) => {
  // The only message that the parent sends.
  void replay(job as ReplayJob).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ failure: inspect(error) } satisfies ReplayAnswer),
  )
})

async function replay({ moduleUrl, harness: name, runs }: ReplayJob): Promise<ReplayAnswer> {
  const module = (await import(moduleUrl)) as { readonly harnesses?: Readonly<Record<string, AdapterHarness>> }
  const harness = module.harnesses?.[name]
  if (harness === undefined) return { failure: `${moduleUrl} must export harnesses[${JSON.stringify(name)}].` }
  const replayed: Replayed[] = []
  for (const run of runs) {
    const result = await runIn(harness, run)
    if (result.text !== 'done') return { failure: `The run does not reach the end: ${inspect(result.error)}` }
    const retrieved = lastPrompt(result).results.findLast(({ toolCallId }) => toolCallId.startsWith('retrieval_'))
    const messages = result.prompts.map((prompt) => prompt.messages)
    replayed.push({ messages, lastText: textOf(retrieved ?? lastResult(lastPrompt(result))) })
  }
  return { replayed }
}

function runIn(harness: AdapterHarness, { directory, history }: ReplayRun): Promise<ConversationResult> {
  const offloader = new ContextOffloader({ storage: new FileStorage(directory) })
  return history === undefined ? runFirst(harness, offloader) : runSecond(harness, offloader, history)
}
