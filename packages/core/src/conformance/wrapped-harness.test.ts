import { describe, expect, test } from 'vitest'
import { tinyHarness } from '../../test/tiny-storage.ts'
import { compressed, compressedDriver } from '../wrappers/compression/compressed.ts'
import { findCodec } from '../wrappers/compression/block-table.ts'
import { wrapStorage, type ManagedStorage } from '../storage/managed-storage.ts'
import type { CompleteDriver } from '../storage/storage-driver.ts'
import { runConformance } from './run.ts'
import { wrappedHarness } from './wrapped-harness.ts'

const SETTINGS = {
  name: 'gzip',
  codec: findCodec('gzip')!,
  level: 3,
  blockBytes: 4_096,
  minBytes: 0,
  minSaving: 0,
} as const

/** Make a faulty wrapper. */
const faulty =
  (change: (driver: CompleteDriver, inner: CompleteDriver) => Partial<CompleteDriver>) =>
  (storage: ManagedStorage): ManagedStorage =>
    wrapStorage(storage, 'compressed', (inner) => {
      const driver = compressedDriver(inner, SETTINGS)
      return Object.assign(compressedDriver(inner, SETTINGS), change(driver, inner))
    })

describe('wrappedHarness', () => {
  test('names the wrappers, and keeps powers and settings', async () => {
    const inner = tinyHarness()
    const harness = wrappedHarness(inner, { name: 'compressed', wrap: (storage) => compressed(storage) })
    expect(harness.name).toBe('tiny, compressed')
    const [plain, wrapped] = [await inner.create({}), await harness.create({})]
    expect(Object.keys(wrapped.powers ?? {}).sort()).toEqual(Object.keys(plain.powers ?? {}).sort())
    expect(harness.settings).toEqual(inner.settings)
  })

  test.each<readonly [string, string, Parameters<typeof faulty>[0]]>([
    [
      'lists descriptions of the compressed bytes',
      'stat/use-changes-nothing-else',
      (_driver, inner) => ({ list: inner.list.bind(inner) }),
    ],
    ['forgets to cut ranges', 'range/equals-slice', (driver) => ({ read: (id) => driver.read(id) })],
    ['drops tombstones', 'error/evicted', () => ({ findEviction: async () => undefined })],
    [
      'hides an outage',
      'outage/list',
      (driver) => ({
        async *list(prefix) {
          try {
            yield* driver.list(prefix)
          } catch (error) {
            if (!(error instanceof Error)) throw error
          }
        },
      }),
    ],
    [
      'does not report incomplete content',
      'corrupt/cut-content',
      (driver, inner) => ({
        async read(id, range) {
          const found = await inner.read(id)
          const whole =
            found === undefined
              ? undefined
              : await driver.read(id, range).catch((error: unknown) => {
                  if (error instanceof Error) return found
                  throw error
                })
          return whole
        },
      }),
    ],
  ])('catches a wrapper that %s with the case %s', async (_name, id, change) => {
    const harness = wrappedHarness(tinyHarness(), { name: 'faulty', wrap: faulty(change) })
    const { results } = await runConformance(harness, { filter: (one) => one === id })
    expect(results).toMatchObject([{ id, status: 'failed' }])
    const sound = wrappedHarness(tinyHarness(), { name: 'sound', wrap: faulty(() => ({})) })
    expect((await runConformance(sound, { filter: (one) => one === id })).results).toMatchObject([{ status: 'passed' }])
  })
})
