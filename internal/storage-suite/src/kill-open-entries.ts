import type { ManagedStorage } from '@spillway/core'
import { isFull } from '@spillway-internal/test-run'
import { importBackend, scriptArgument, type Backend } from './backend.ts'
import { ended, ownScript, startScript } from './run-script.ts'

/** Limit of lost bytes: a writer may lose its last segment and a part of the next chunk. */
const MAX_LOST_BYTES = 1_048_576 + 80_000
const MAX_WRITES = 150

/** A line of the written content. All lines have the same length. */
export const openEntryLine = (line: number): string => `line ${line}`.padEnd(99, '.') + '\n'

/** Outcome of {@link killOpenEntries}. */
export interface KilledEntries {
  readonly killed: number
  readonly problems: readonly string[]
}

/**
 * Kill writers of open entries with SIGKILL at random moments. Check that each entry is listed with all committed data:
 * at most the last megabyte may be missing. Defaults to 200 writers in full runs, otherwise to 3.
 */
export async function killOpenEntries<Config>(
  backend: Backend<Config>,
  kills: number = isFull ? 200 : 3,
): Promise<KilledEntries> {
  const problems: string[] = []
  const module = await importBackend(backend)
  const storage = await module.open(backend.config, {})
  let started = 0
  const keepKilling = async (): Promise<void> => {
    while (started < kills) {
      started += 1
      const { reference, written } = await killWriter(backend)
      if (reference === undefined) continue
      const problem = await problemOf(storage, reference, written)
      if (problem !== undefined) problems.push(`${reference}: ${problem}`)
    }
  }
  await Promise.all([keepKilling(), keepKilling()])
  await storage.close()
  return { killed: started, problems }
}

async function killWriter<Config>(
  backend: Backend<Config>,
): Promise<{ readonly reference: string | undefined; readonly written: number }> {
  let reference: string | undefined
  let written = 0
  let writes = Math.floor(Math.random() * MAX_WRITES)
  const writer = startScript(ownScript('open-entry-writer.ts'), [scriptArgument(backend, {})], (line) => {
    if (reference === undefined) reference = line
    else written = Number(line)
    // The kill happens at any moment of the next write.
    if ((writes -= 1) <= 0) setTimeout(() => writer.kill('SIGKILL'), Math.random() * 5)
  })
  const outcome = await ended(writer)
  if (outcome !== 'SIGKILL') throw new Error(`A writer ended by itself with ${outcome}.`)
  return { reference, written }
}

async function problemOf(storage: ManagedStorage, reference: string, written: number): Promise<string | undefined> {
  const { state, size } = await storage.stat(reference)
  if (state !== 'open' && state !== 'lost') return `its state is ${state}`
  if (size < written - MAX_LOST_BYTES) return `of ${written} bytes only ${size} are there`
  const text = new TextDecoder().decode((await storage.retrieve(reference)).content)
  const expected = Array.from({ length: Math.ceil(size / 100) }, (_, line) => openEntryLine(line + 1)).join('')
  if (text !== expected.slice(0, size)) return 'it has other content'
  const references: string[] = []
  for await (const info of storage.list()) references.push(info.reference)
  if (!references.includes(reference)) return 'it is not listed'
  await storage.delete(reference)
  return undefined
}
