import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { killConformanceWriter } from '@spillway-internal/storage-suite'
import { isFull } from '@spillway-internal/test-run'
import { FileStorage, NodeFileSystem } from '../../src/index.ts'
import { MAX_TOMBSTONES, TRIM_EVERY } from '../../src/collector.ts'
import { fileBackend } from '../soak-backend.ts'
import { hookedFileSystem } from './hooked-file-system.ts'
import { listFiles } from './list-files.ts'

/** Connects the conformance suite to the storage of this package. */
export const fileHarness: ConformanceHarness = {
  name: '@spillway/file',
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 120_000,
  // File storage has no pages. Another test covers the directory buffer of a few hundred names.
  ...(isFull ? {} : { pageSize: 10 }),
  async create(settings) {
    const parent = await mkdtemp(join(tmpdir(), 'spillway-conformance-'))
    const directory = join(parent, 'artifacts')
    let now = Date.now()
    let isDown = false
    const fileSystem = hookedFileSystem(new NodeFileSystem(), async () => {
      if (isDown) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    })
    const open = (): FileStorage => new FileStorage({ directory, fileSystem, ...settings, now: () => now })
    const storage = open()
    return {
      storage,
      powers: {
        clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
        reopen: async () => open(),
        outage: async () => {
          isDown = true
          return async () => void (isDown = false)
        },
        residue: async () => (await listFiles(directory)).filter((path) => !path.includes('.evicted/')).length,
        plant: (content) => plant(parent, directory, content),
        kill: (script) => killConformanceWriter(fileBackend(directory), script),
        damage: async (reference) => truncate(join(directory, `${reference}.txt`), 1),
        shell: async (command) => (await promisify(execFile)('sh', ['-c', command], { encoding: 'buffer' })).stdout,
        maxTombstones: MAX_TOMBSTONES + TRIM_EVERY,
      },
      dispose: () => rm(parent, { recursive: true }),
    }
  },
}

/** Put content beside the directory, in the directory without a sidecar, and behind symbolic links. */
export async function plant(parent: string, directory: string, content: Uint8Array): Promise<string[]> {
  const outside = join(parent, 'outside')
  await mkdir(outside, { recursive: true })
  await writeFile(join(outside, 'foreign.txt'), content)
  await writeFile(join(parent, 'foreign.txt'), content)
  await writeFile(join(directory, 'planted.txt'), content)
  await symlink(join(outside, 'foreign.txt'), join(directory, 'linked.txt'))
  await symlink(outside, join(directory, 'outside'))
  await symlink(outside, join(directory, '.metadata', 'outside'))
  return [
    'foreign',
    'planted',
    'linked',
    'outside',
    'foreign_txt',
    '../foreign',
    'outside/foreign',
    '../outside/foreign',
  ]
}
