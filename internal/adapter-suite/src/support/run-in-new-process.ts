import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AdapterHarness } from '../harness.ts'
import { within } from './within.ts'

const SCRIPT = fileURLToPath(new URL('replay-process.ts', import.meta.url))
/** Resolves packages from the peer set that the environment names, as in the tests. */
const RESOLVE_HOOK = new URL('../../../peers/resolve-hook.mjs', import.meta.url).href
/** Ends a process that hangs. A framework takes seconds to load, and much longer while other tests run. */
const DEADLINE_MS = 150_000

/** The message that starts the work of the new process. */
export interface ReplayJob {
  readonly moduleUrl: string
  readonly harness: string
  /** The directory of the first conversation's storage, and the history to continue. */
  readonly filled: string
  readonly history: unknown
  /** An empty directory for the storage of the long session. */
  readonly empty: string
}

/** The requests of the new process, or the error that ended it. */
export type ReplayAnswer =
  | {
      readonly resumed: readonly string[]
      /** The text that the last retrieval returned. */
      readonly retrieved: string
      readonly longSession: readonly string[]
    }
  | { readonly failure: string }

/** Run conversations in a process that shares no state with this process. */
export async function runInNewProcess(
  { moduleUrl, name }: AdapterHarness,
  job: Omit<ReplayJob, 'moduleUrl' | 'harness'>,
): Promise<Exclude<ReplayAnswer, { failure: string }>> {
  const child = fork(SCRIPT, { execArgv: ['--import', RESOLVE_HOOK], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (printed += data.toString()))
  try {
    const answered = new Promise<ReplayAnswer>((resolve, reject) => {
      // The script sends only this message.
      child.once('message', (answer) => resolve(answer as ReplayAnswer))
      child.once('error', reject)
      child.once('close', () => resolve({ failure: `the process ended without an answer: ${printed.slice(-2_000)}` }))
    })
    child.send({ moduleUrl, harness: name, ...job } satisfies ReplayJob)
    const answer = await within(DEADLINE_MS, answered, 'The new process gives no answer')
    assert.ok(!('failure' in answer), `The new process failed: ${'failure' in answer ? answer.failure : ''}`)
    return answer
  } finally {
    child.kill()
  }
}
