import type { Storage } from '../../storage/storage.ts'
import type { Capability, ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual, rejection, rejectionCode } from '../conformance-failure.ts'
import type { StorageSettings } from '../harness.ts'
import { bytes, collect, stream } from '../sample.ts'

interface Operation {
  readonly name: string
  readonly requires?: readonly Capability[]
  readonly settings?: StorageSettings
  /** What it needs to have happened before. */
  readonly before?: (storage: Required<Storage>) => Promise<unknown>
  readonly run: (storage: Required<Storage>, reference: string) => Promise<unknown>
}

const OPERATIONS: readonly Operation[] = [
  { name: 'store', run: (storage) => storage.store('call_2_0', bytes('new')) },
  { name: 'store-again', run: (storage) => storage.store('call_1_0', bytes('content')) },
  { name: 'retrieve', run: (storage, reference) => storage.retrieve(reference) },
  { name: 'retrieve-unknown', run: (storage) => storage.retrieve('call_9_9_abcdefghijklmnopqrst') },
  { name: 'stat', requires: ['stat'], run: (storage, reference) => storage.stat(reference) },
  {
    name: 'retrieve-range',
    requires: ['retrieveRange'],
    run: (storage, reference) => storage.retrieveRange(reference, { offset: 0, length: 1 }),
  },
  {
    name: 'open',
    requires: ['open'],
    run: async (storage, reference) => {
      const content = await storage.open(reference)
      try {
        return await content.read(0, 1)
      } finally {
        await content.close()
      }
    },
  },
  {
    name: 'store-stream',
    requires: ['storeStream'],
    run: (storage) => storage.storeStream('call_2_0', stream(bytes('new'), bytes('er'))),
  },
  { name: 'list', requires: ['list'], run: (storage) => collect(storage.list()) },
  { name: 'delete', requires: ['delete'], run: (storage, reference) => storage.delete(reference) },
  {
    name: 'delete-unused',
    requires: ['delete'],
    run: (storage, reference) => storage.delete(reference, { unusedSince: Date.now() + 1e12 }),
  },
  { name: 'clear', requires: ['clear'], run: (storage) => storage.clear() },
  {
    name: 'end-turn',
    requires: ['endTurn'],
    settings: { evictAfterTurns: 1 },
    before: (storage) => storage.endTurn(),
    run: (storage) => storage.endTurn(),
  },
  { name: 'gc', requires: ['gc'], settings: { ttlMs: 600_000 }, run: (storage) => storage.gc() },
]

/** An outage is never a miss. */
export const outageCases: readonly ConformanceCase[] = [
  {
    id: 'outage/rejects',
    title: 'While the backend is down, storing and retrieving reject; afterwards all is there again',
    level: 'two-method',
    requires: ['outage'],
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const restore = await powers.outage()
      await rejection('retrieving during the outage', () => storage.retrieve(reference))
      await rejection('storing during the outage', () => storage.store('call_2_0', bytes('new')))
      await restore()
      const found = await attempt('retrieving afterwards', () => storage.retrieve(reference))
      checkBytes(found.content, bytes('content'), 'content')
      const later = await attempt('storing afterwards', () => storage.store('call_2_0', bytes('new')))
      checkBytes((await storage.retrieve(later)).content, bytes('new'), 'content stored afterwards')
    },
  },
  ...OPERATIONS.map(({ name, requires = [], settings, before, run }): ConformanceCase => ({
    id: `outage/${name}`,
    title: `During an outage ${name.replaceAll('-', ' ')} is unavailable and retryable, and works afterwards`,
    requires: ['outage', ...requires],
    ...(settings === undefined ? {} : { settings }),
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      await before?.(storage)
      const restore = await powers.outage()
      const error = await rejectionCode('unavailable', `${name} during an outage`, () => run(storage, reference))
      checkEqual(error.retryable, true, 'retryable')
      await restore()
      const after = await attempt(`retrieving after the outage of ${name}`, () => storage.retrieve(reference))
      checkBytes(after.content, bytes('content'), 'content after the outage')
      if (name === 'retrieve-unknown')
        await rejectionCode('not-found', 'retrieving it after the outage', () => run(storage, reference))
      else await attempt(`${name} after the outage`, () => run(storage, reference))
    },
  })),
]
