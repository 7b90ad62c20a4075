import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleTranscript } from './sample-transcript.ts'

/**
 * Create a data folder with one transcript in the format of tau-bench, without its first messages. Returns the path.
 */
export async function makeDataFolder({
  lengthOfFirstResult,
  cutOff = 0,
}: { readonly lengthOfFirstResult?: number; readonly cutOff?: number } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-bench-history-'))
  const { messages: all, laterUses } = sampleTranscript(8)
  const messages = all.slice(cutOff)
  const [use] = laterUses
  const steps = messages.map(({ role, content }, i) => {
    const length = i === 3 - cutOff ? lengthOfFirstResult : undefined
    return { i, role, kind: role === 'tool' ? 'tool_result' : 'text', chars: length ?? content?.length ?? 0 }
  })
  const laterUse = [{ step: 3 - cutOff, uses: [{ used_at_step: (use?.usedAt ?? 0) - cutOff, text: ` ${use?.line} ` }] }]
  const write = async (path: string, value: unknown): Promise<void> =>
    await writeFile(join(folder, path), JSON.stringify(value))
  await mkdir(join(folder, 'transcripts/tau-bench'), { recursive: true })
  await mkdir(join(folder, 'logs'))
  // This file marks a folder as the data folder.
  await write('logs/answers.json', [])
  const id = 'tau-bench/sample'
  await write('transcripts/index.json', [{ id, file: `${id}.json`, steps_file: `${id}.steps.json` }])
  await write(`transcripts/${id}.json`, { traj: messages })
  await write(`transcripts/${id}.steps.json`, { id, steps, later_use: laterUse })
  return folder
}
