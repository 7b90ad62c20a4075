/**
 * Kill writers at random, and check that nothing they acknowledged is lost or torn.
 *
 * Run it with `node packages/storage/file/test/kill-soak.ts --kills 200`.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FileStorage } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { ended, startScript } from './support/run-script.ts'
import { isSoakContent, soakContent } from './support/soak-content.ts'

const SEEDED = 200
const AN_HOUR_MS = 3_600_000
const MAX_LIFE_MS = 1_000
const MAX_PROBLEMS = 20

/** What a soak found. */
export interface KillSoakReport {
  readonly kills: number
  readonly acknowledged: number
  /** Entries read while writers were being killed. */
  readonly reads: number
  readonly leftovers: number
  /** What must be empty. */
  readonly problems: readonly string[]
}

/** Keep `processes` writers storing into one directory until so many of them have been killed; then check everything. */
export async function killSoak({ kills = 200, processes = 8 } = {}): Promise<KillSoakReport> {
  const parent = await mkdtemp(join(tmpdir(), 'spillway-soak-'))
  try {
    return await soak(join(parent, 'artifacts'), kills, processes)
  } finally {
    await rm(parent, { recursive: true })
  }
}

async function soak(directory: string, kills: number, processes: number): Promise<KillSoakReport> {
  const problems: string[] = []
  const acknowledged = new Map<string, { scope: string; reference: string; key: string }>()
  const startedAt = Date.now()
  await seed(directory)

  let reads = 0
  const reader = startScript('soak-reader.ts', [directory], (line) => {
    const count = /^read (\d+)$/.exec(line)?.[1]
    if (count === undefined) problems.push(`a reader saw: ${line}`)
    else reads = Number(count)
  })

  let killed = 0
  let started = 0
  const keepWriting = async (): Promise<void> => {
    while (killed < kills) {
      const name = `writer-${(started += 1)}`
      // A writer lives from its first acknowledgement for a random while.
      let doomed = false
      const writer = startScript('soak-writer.ts', [directory, name, String(startedAt)], (line) => {
        const [scope = '', reference = '', ...key] = line.split(' ')
        acknowledged.set(`${scope} ${reference}`, { scope, reference, key: key.join(' ') })
        if (!doomed) setTimeout(() => writer.kill('SIGKILL'), Math.random() * MAX_LIFE_MS)
        doomed = true
      })
      const outcome = await ended(writer)
      if (outcome === 'SIGKILL') killed += 1
      else problems.push(`${name} ended by itself with ${outcome}`)
      if (problems.length > MAX_PROBLEMS) return
    }
  }
  await Promise.all(Array.from({ length: processes }, keepWriting))
  reader.stdin?.end()
  const outcome = await ended(reader)
  if (outcome !== 0) problems.push(`the reader ended with ${outcome}`)

  await check(directory, acknowledged.values(), 'kept', problems)
  const { leftovers } = await new FileStorage({ directory, now: () => Date.now() + AN_HOUR_MS }).gc()
  await check(directory, acknowledged.values(), '', problems)
  await checkResidue(directory, problems)
  return { kills: killed, acknowledged: acknowledged.size, reads, leftovers, problems }
}

/** Store entries that were last used before the soak began, and so may be evicted until somebody stores them again. */
async function seed(directory: string): Promise<void> {
  const before = Date.now() - AN_HOUR_MS
  const revived = new FileStorage({ directory, now: () => before }).scope('tenant', 'revived')
  for (let index = 0; index < SEEDED; index += 1) {
    const { content, contentType } = soakContent(`revived ${index}`)
    await revived.store(`revived ${index}`, content, contentType)
  }
}

async function check(
  directory: string,
  acknowledged: Iterable<{ scope: string; reference: string; key: string }>,
  only: string,
  problems: string[],
): Promise<void> {
  const tenant = new FileStorage(directory).scope('tenant')
  for (const { scope, reference, key } of acknowledged) {
    if (!scope.startsWith(only)) continue
    const found = await tenant
      .scope(scope)
      .retrieve(reference)
      .catch((error: unknown) => String(error))
    if (typeof found === 'string') problems.push(`acknowledged, but: ${found}`)
    else if (!isSoakContent(key, found)) problems.push(`acknowledged, but torn: ${reference}`)
  }
}

/** Look for files that belong to no entry. */
async function checkResidue(directory: string, problems: string[]): Promise<void> {
  let entries = 0
  for await (const { key } of new FileStorage(directory).list()) {
    if (key === '') problems.push('a damaged entry is listed')
    entries += 1
  }
  const files = await listFiles(directory)
  const others = files.filter((path) => !path.endsWith('.metadata.json') && path.startsWith('.metadata/'))
  if (others.length > 0) problems.push(`left over: ${others.slice(0, 5).join(', ')}`)
  if (files.length !== 2 * entries + 1) problems.push(`${files.length} files for ${entries} entries`)
  const folders = (await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.removal'))
  if (folders.length > 0) problems.push(`left over: ${folders.join(', ')}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { kills: { type: 'string' }, processes: { type: 'string' } } })
  const begun = performance.now()
  const report = await killSoak({ kills: Number(values.kills ?? 200), processes: Number(values.processes ?? 8) })
  console.log({ ...report, seconds: Math.round((performance.now() - begun) / 1000) })
  process.exitCode = report.problems.length === 0 ? 0 : 1
}
