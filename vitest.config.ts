/** Tests of the workspace: one project for each package, one more for each older set of versions of an adapter's framework. */
import { join, relative } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { listPeerSets, PEERS_VARIABLE } from './internal/peers/peer-sets.ts'
import { ReportFile } from './internal/test-run/src/report-file.ts'
import { COMPILE_CACHE, isFull, packageFolders } from './internal/test-run/src/test-run.ts'

const ROOT = import.meta.dirname
const services = join(ROOT, 'internal/services/src/vitest.ts')
const compareBytes = join(ROOT, 'internal/test-run/src/compare-bytes.ts')

// Every process that a test starts takes sources compiled before, instead of compiling them again.
process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE

const SETTINGS: Readonly<Record<string, object>> = {
  'internal/packages': {
    globalSetup: [join(ROOT, 'internal/packages/pack.ts'), services],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
}

/** The tests of one folder. Timeouts only end what hangs: a busy machine is five times slower. */
function projectOf(folder: string, name: string, overrides: object = {}): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [`${folder}/**/*.test.ts`],
      exclude: [
        '**/node_modules/**',
        '**/dist/**',
        '**/.examples/**',
        ...folders.filter((one) => one.startsWith(`${folder}/`)).map((one) => `${one}/**`),
      ],
      globalSetup: [services],
      setupFiles: [compareBytes],
      // One process for many files, which loads sources and frameworks once: no test changes what others see.
      isolate: false,
      // Node.js runs the sources, as it does for users and for processes that tests start.
      experimental: { viteModuleRunner: false },
      testTimeout: isFull ? 900_000 : 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000 } },
      ...SETTINGS[folder],
      ...overrides,
    },
  }
}

const folders = packageFolders(ROOT)
  // The demonstration is about a suite that fails.
  .filter((folder) => folder !== 'examples/demo')
  .toSorted()

/** The folder that tests are run from, relative to the root: only its projects are there. */
const here = relative(ROOT, process.cwd()).replaceAll('\\', '/')
const isHere = (folder: string): boolean => here === '' || here === folder

export default defineConfig({
  root: ROOT,
  test: {
    // Each worker loads and compiles the same code again, so only packages with many tests or much waiting have several.
    maxWorkers: /^(?:$|packages\/(?:cli|core|previews|text|storage\/))/.test(here) ? '100%' : 1,
    // Frameworks print the errors that tests provoke; of a test that fails they are shown.
    silent: 'passed-only',
    reporters: ['default', new ReportFile(process.env['SPILLWAY_REPORT'] ?? join(process.cwd(), '.reports/test.json'))],
    projects: [
      ...folders.filter(isHere).map((folder) => projectOf(folder, nameOf(folder))),
      ...listPeerSets(ROOT)
        .filter(({ adapter }) => isHere(adapter))
        .map((set) =>
          projectOf(set.adapter, `${nameOf(set.adapter)} with ${set.name}`, {
            // Its own tests say little about an older version that the suite does not say.
            ...(isFull ? {} : { include: [`${set.adapter}/test/**/{suite,version}.test.ts`] }),
            exclude: ['**/node_modules/**', '**/dist/**', ...set.leavesOut.map((folder) => `**/${folder}/**`)],
            env: { [PEERS_VARIABLE]: set.folder },
            execArgv: ['--import', join(ROOT, 'internal/peers/resolve-hook.mjs')],
          }),
        ),
    ],
  },
})

/** Such as `core`, `storage/file`, `examples/ai-sdk`. */
function nameOf(folder: string): string {
  return folder.replace(/^packages\//, '')
}
