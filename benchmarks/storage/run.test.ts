import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { QUICK_RUN_MS, runQuickly } from '../report/run-quickly.ts'
import { compareThroughput } from './measure-throughput.ts'

test(
  'the benchmark measures every part, and leaves no files [full run]',
  async ({ skip }) => {
    skip(!isFull, 'full run')
    const parts = ['throughput', 'growth', 'large', 'requests']
    const { stdout, figures, left } = await runQuickly(import.meta.dirname, parts, ['--only', 'sqlite'])
    expect(stdout).not.toContain('Not measured')
    expect(figures).toMatchObject({
      throughput: expect.arrayContaining([
        expect.objectContaining({ kind: 'SQLite', size: '10 MB', name: 'Spillway' }),
      ]),
      growth: [{ kind: 'SQLite' }],
      large: [{ kind: 'SQLite' }],
      requests: { SQLite: expect.anything() },
    })
    expect(left).toEqual(['results'])
  },
  2 * QUICK_RUN_MS,
)

test('a comparison uses the size at which Spillway is the worst, and the fastest library that copies bytes', () => {
  const row = (size: string, name: string, store: number, storeOfFloor: number) => ({
    ...{ kind: 'memory' as const, size, name, store, storeOfFloor },
    ...{ retrieve: 1, retrieveOfFloor: 1, retrieveOfClient: 1 },
  })
  const small = [row('1 KB', 'Map', 1, 1), row('1 KB', 'Spillway', 3, 0.5), row('1 KB', 'unstorage', 0.1, 10)]
  const large = [row('1 MB', 'Map', 8, 1), row('1 MB', 'Spillway', 8, 1), row('1 MB', 'Keyv', 2, 4)]
  expect(compareThroughput([...small, ...large])).toMatchObject([
    {
      what: 'memory: store 1 MB',
      ours: 8,
      floor: { name: 'Map', value: 8, times: 1 },
      other: { name: 'Keyv', value: 2, times: 4 },
    },
    { what: 'memory: retrieve 1 KB' },
  ])
})
