import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleTranscript } from './sample-transcript.ts'

/** Make a data folder with one transcript, in the form of tau-bench. Returns its path. */
export async function makeDataFolder({
  lengthOfFirstResult,
}: { readonly lengthOfFirstResult?: number } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-bench-history-'))
  const { messages, laterUses } = sampleTranscript(8)
  const [use] = laterUses
  const steps = messages.map(({ role, content }, i) => {
    const length = i === 3 ? lengthOfFirstResult : undefined
    return { i, role, kind: role === 'tool' ? 'tool_result' : 'text', chars: length ?? content?.length ?? 0 }
  })
  const laterUse = [{ step: 3, uses: [{ used_at_step: use?.usedAt, text: ` ${use?.line} ` }] }]
  const write = async (path: string, value: unknown): Promise<void> =>
    await writeFile(join(folder, path), JSON.stringify(value))
  await mkdir(join(folder, 'transcripts/tau-bench'), { recursive: true })
  await mkdir(join(folder, 'logs'))
  // By this file a folder is known to hold the data.
  await write('logs/answers.json', [])
  const id = 'tau-bench/sample'
  await write('transcripts/index.json', [{ id, file: `${id}.json`, steps_file: `${id}.steps.json` }])
  await write(`transcripts/${id}.json`, { traj: messages })
  await write(`transcripts/${id}.steps.json`, { id, steps, later_use: laterUse })
  return folder
}
