import { execFile } from 'node:child_process'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isFull } from '@spillway-internal/test-run'
import { storageConformance } from '@spillway/core/conformance/vitest'
import { FileStorage, ShellFileSystem } from '../src/index.ts'
import { MAX_TOMBSTONES, TRIM_EVERY } from '../src/collector.ts'
import { plant } from './support/file-harness.ts'
import { listFiles } from './support/list-files.ts'
import { StandingShell } from './support/standing-shell.ts'

const shell = new StandingShell()

/** Cases with thousands of commands, which exceed the time limit of a case. */
const TOO_MANY = ['clear/beyond-one-page', 'gc/beyond-one-page', 'turns/tombstones-bounded']
/** Cases in which a shell differs most from the file system of Node.js. The other cases take minutes. */
const SHORT = /^(?:abort|content-type|corrupt|delete|durability|locate|metadata|outage|range|stat)\//
const filter = (id: string): boolean =>
  isFull ? !TOO_MANY.includes(id) : SHORT.test(id) && !id.includes('/in-the-middle-of-')

storageConformance(
  {
    name: '@spillway/file in a shell',
    settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
    // Some cases run thousands of commands on a busy machine.
    timeoutMs: 300_000,
    missingPowers: { kill: 'only one process may delete in a directory that is reached by a shell' },
    async create(settings) {
      const parent = await mkdtemp(join(tmpdir(), 'spillway-conformance-'))
      const directory = join(parent, 'artifacts')
      let now = Date.now()
      const fileSystem = new ShellFileSystem(shell)
      const open = (): FileStorage => new FileStorage({ directory, fileSystem, ...settings, now: () => now })
      return {
        storage: open(),
        powers: {
          clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
          reopen: async () => open(),
          outage: async () => {
            shell.isDown = true
            return async () => void (shell.isDown = false)
          },
          residue: async () => (await listFiles(directory)).filter((path) => !path.includes('.evicted/')).length,
          plant: (content) => plant(parent, directory, content),
          damage: async (reference) => truncate(join(directory, `${reference}.txt`), 1),
          shell: async (command) => (await promisify(execFile)('sh', ['-c', command], { encoding: 'buffer' })).stdout,
          maxTombstones: MAX_TOMBSTONES + TRIM_EVERY,
        },
        dispose: () => rm(parent, { recursive: true }),
      }
    },
  },
  { filter, thorough: isFull },
)
