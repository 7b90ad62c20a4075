import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Conversation } from './conversation.ts'
import { WAYS, type WayName } from './replay-ways.ts'

/** SHA-256 of all prompts in a conversation of two rounds. */
export interface ReplayRow {
  readonly way: WayName
  readonly digests: Readonly<Record<'once' | 'again' | 'resumed', string>>
}

/** The task of a separate process. */
export interface ReplayTask {
  readonly way: WayName
  readonly directory: string
  readonly logBytes: number
  readonly rounds: readonly number[]
  readonly past: readonly unknown[]
}

/**
 * Run the conversation in one process, then in another process with the same files. With new files, run it in two
 * processes: the second one continues the messages that the first one has saved.
 */
export async function measureReplay(logBytes: number): Promise<readonly ReplayRow[]> {
  const rows: ReplayRow[] = []
  for (const way of Object.keys(WAYS) as WayName[]) {
    const root = await mkdtemp(join(tmpdir(), 'spillway-replay-'))
    try {
      const run = (name: string, rounds: readonly number[], past: readonly unknown[]): Promise<Conversation> =>
        runTask({ way, directory: join(root, name), logBytes, rounds, past })
      const once = await run('whole', [0, 1], [])
      const again = await run('whole', [0, 1], [])
      const first = await run('parts', [0], [])
      const second = await run('parts', [1], first.history)
      const digests = { once: digest(once), again: digest(again), resumed: digest(first, second) }
      rows.push({ way, digests })
    } finally {
      await rm(root, { recursive: true })
    }
  }
  return rows
}

/** Run a task. It is passed in a file, because a history with a whole log is too long for an argument. */
async function runTask(task: ReplayTask): Promise<Conversation> {
  const script = join(import.meta.dirname, 'replay-process.ts')
  const path = `${task.directory}.json`
  await writeFile(path, JSON.stringify(task))
  const { stdout } = await promisify(execFile)(process.execPath, [script, path], { maxBuffer: 1e8 })
  return JSON.parse(stdout) as Conversation
}

function digest(...parts: readonly Conversation[]): string {
  const prompts = parts.flatMap((part) => part.prompts)
  return createHash('sha256').update(JSON.stringify(prompts)).digest('hex')
}
