import { defineConfig } from 'vitest/config'
import { listPeerSets, PEERS_VARIABLE, resolvePeersFrom } from './internal/peers/peer-sets.ts'

const exclude = ['**/node_modules/**', '**/dist/**']
/** Real servers, started where a test asks for them. */
const services = 'internal/services/src/vitest.ts'

export default defineConfig({
  test: {
    // Every core: half of the time goes to processes that tests start and wait for.
    maxWorkers: '100%',
    // Frameworks print the errors that tests provoke; of a test that fails they are shown.
    silent: 'passed-only',
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text', 'json-summary'],
      thresholds: { lines: 95 },
    },
    projects: [
      {
        test: {
          name: 'core',
          include: ['packages/core/{src,test}/**/*.test.ts'],
          exclude,
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'unit',
          include: [
            'packages/**/{src,test}/**/*.test.ts',
            '{benchmarks,examples,internal/lint,internal/peers,internal/services}/**/*.test.ts',
          ],
          // The demonstration is about a suite that fails.
          exclude: [...exclude, 'packages/core/**', 'examples/demo/project/**'],
          globalSetup: [services],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      ...listPeerSets(import.meta.dirname).map((set) => ({
        plugins: [resolvePeersFrom(set)],
        test: {
          name: `peers ${set.name}`,
          include: [`${set.adapter}/{src,test}/**/*.test.ts`],
          exclude: [...exclude, ...set.leavesOut.map((folder) => `**/${folder}/**`)],
          env: { [PEERS_VARIABLE]: set.folder },
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      })),
      {
        test: {
          name: 'docs',
          include: ['internal/docs/*.test.ts'],
          exclude,
          globalSetup: [services],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'packages',
          include: ['internal/packages/*.test.ts'],
          exclude,
          globalSetup: ['internal/packages/pack.ts', services],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
