/** Checks the examples and exported names of the package in whose folder it is run; in this folder, also the root's documents. */
import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = process.cwd()
const isOwn = FOLDER === import.meta.dirname
const tests = isOwn
  ? ['examples', 'check-itself', 'exported-names', 'http-api', 'links']
  : ['examples', 'exported-names']

const { status, error } = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    ...['run', '--project', 'internal/docs'],
    ...tests.map((name) => `internal/docs/${name}.test.ts`),
  ],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      SPILLWAY_DOCS_OF: isOwn ? '.' : relative(ROOT, FOLDER).replaceAll('\\', '/'),
      SPILLWAY_REPORT: join(FOLDER, '.reports/docs.json'),
    },
  },
)
if (error !== undefined) throw error
process.exit(status ?? 1)
