/** The process that `run-in-new-process.ts` starts: receives one job, sends an answer, and ends. */
import { inspect } from 'node:util'
import type { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import type { AdapterHarness } from '../harness.ts'
import { createBench } from './bench.ts'
import { requestsOf, runLongSession, runSecond } from './replayed-conversation.ts'
import type { ReplayAnswer, ReplayJob } from './run-in-new-process.ts'
import { assertDone } from './run-pair.ts'
import { lastPrompt, lastResult, textOf } from './seen-results.ts'

process.once('message', (job) => {
  // The parent sends only this message.
  void replay(job as ReplayJob).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ failure: inspect(error) } satisfies ReplayAnswer),
  )
})

async function replay({ moduleUrl, harness: name, filled, history, empty }: ReplayJob): Promise<ReplayAnswer> {
  const module = (await import(moduleUrl)) as { readonly harnesses?: Readonly<Record<string, AdapterHarness>> }
  const harness = module.harnesses?.[name]
  if (harness === undefined) return { failure: `${moduleUrl} must export harnesses[${JSON.stringify(name)}].` }
  const over = (directory: string): ContextOffloader => createBench({ storage: new FileStorage(directory) }).offloader
  const resumed = await runSecond(harness, over(filled), history)
  assertDone(resumed, 'The resumed run does not reach the end')
  return {
    resumed: requestsOf(resumed),
    retrieved: textOf(lastResult(lastPrompt(resumed), 'retrieval_2')),
    longSession: await runLongSession(harness, over(empty)),
  }
}
