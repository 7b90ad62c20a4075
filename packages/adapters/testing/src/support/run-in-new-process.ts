import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { AdapterHarness } from '../harness.ts'
import { within } from './within.ts'

const SCRIPT = fileURLToPath(new URL('replay-process.ts', import.meta.url))
/** Takes packages from the peer set that the environment names, as the tests themselves do. */
const RESOLVE_HOOK = new URL('../../../../../internal/peers/resolve-hook.mjs', import.meta.url).href
/** A framework takes seconds to load, and much longer beside other tests. */
const DEADLINE_MS = 50_000

/** What the new process is to do. */
export interface ReplayJob {
  readonly moduleUrl: string
  readonly harness: string
  /** Where its storage is. */
  readonly directory: string
  /** The history to go on from; absent for the first conversation anew. */
  readonly history?: unknown
}

/** What it says: the messages of each prompt, as JSON, or why there are none. */
export type ReplayAnswer =
  | { readonly messages: readonly string[]; readonly lastText: string }
  | { readonly failure: string }

/** Replay or go on with the conversation of `replayed-conversation.ts` in a process that knows nothing of this one. */
export async function runInNewProcess(
  { moduleUrl, name }: AdapterHarness,
  job: Pick<ReplayJob, 'directory' | 'history'>,
): Promise<Extract<ReplayAnswer, { readonly messages: unknown }>> {
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
    child.send({ moduleUrl, harness: name, ...job } satisfies ReplayJob)
    const answer = await within(DEADLINE_MS, answered, 'The new process gives no answer')
    assert.ok('messages' in answer, `The new process failed: ${'failure' in answer ? answer.failure : ''}`)
    return answer
  } finally {
    child.kill()
  }
}
