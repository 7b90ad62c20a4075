import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AdapterHarness } from '../harness.ts'
import { within } from './within.ts'

const SCRIPT = fileURLToPath(new URL('replay-process.ts', import.meta.url))
/** Takes packages from the peer set that the environment names, as the tests themselves do. */
const RESOLVE_HOOK = new URL('../../../peers/resolve-hook.mjs', import.meta.url).href
/** Guards against hanging only: a framework takes seconds to load, and much longer beside other tests. */
const DEADLINE_MS = 150_000

/** One run of the conversation of `replayed-conversation.ts`. */
export interface ReplayRun {
  /** The directory of the run's storage. */
  readonly directory: string
  /** The history to go on from; absent for the first conversation anew. */
  readonly history?: unknown
}

/** The message to the new process. */
export interface ReplayJob {
  readonly moduleUrl: string
  readonly harness: string
  readonly runs: readonly ReplayRun[]
}

/** One run's prompts. */
export interface Replayed {
  /** The messages of each prompt, as JSON. */
  readonly messages: readonly string[]
  /** The text of the last retrieval. */
  readonly lastText: string
}

/** The message of the new process: the outcome of each run, or the reason why there is none. */
export type ReplayAnswer = { readonly replayed: readonly Replayed[] } | { readonly failure: string }

/** Run conversations one after the other in a process that knows nothing of this one. */
export async function runInNewProcess(
  { moduleUrl, name }: AdapterHarness,
  runs: readonly ReplayRun[],
): Promise<readonly Replayed[]> {
  const child = fork(SCRIPT, { execArgv: ['--import', RESOLVE_HOOK], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (printed += data.toString()))
  try {
    const answered = new Promise<ReplayAnswer>((resolve, reject) => {
      // The only message that the script sends.
      child.once('message', (answer) => resolve(answer as ReplayAnswer))
      child.once('error', reject)
      child.once('close', () => resolve({ failure: `it ended without an answer: ${printed.slice(-2_000)}` }))
    })
    child.send({ moduleUrl, harness: name, runs } satisfies ReplayJob)
    const answer = await within(DEADLINE_MS, answered, 'The new process gives no answer')
    assert.ok('replayed' in answer, `The new process failed: ${'failure' in answer ? answer.failure : ''}`)
    return answer.replayed
  } finally {
    child.kill()
  }
}
