import type { OperationOptions, Storage } from '../../storage/storage.ts'
import { attempt, checkBytes, checkEqual, rejection, rejectionCode, unlessRejected } from '../conformance-failure.ts'
import type { Capability, ConformanceCase, StorageSettings } from '../harness.ts'
import { bytes, collect, pattern, pause, referencesIn, stream } from '../sample.ts'
import { checkContent, opened, storeWithReceipt } from './combined/methods.ts'

interface Operation {
  readonly name: string
  readonly requires?: readonly Capability[]
  readonly settings?: StorageSettings
  /** Set for operations that take no signal, or that only outage cases use. */
  readonly ignoresSignals?: boolean
  readonly run: (storage: Required<Storage>, reference: string, options?: OperationOptions) => Promise<unknown>
}

const OPERATIONS: readonly Operation[] = [
  { name: 'store', run: (storage, _, options) => storage.store('call_2_0', bytes('new'), 'text/plain', options) },
  { name: 'store-again', ignoresSignals: true, run: (storage) => storage.store('call_1_0', bytes('content')) },
  { name: 'retrieve', run: (storage, reference, options) => storage.retrieve(reference, options) },
  {
    name: 'retrieve-unknown',
    ignoresSignals: true,
    run: (storage) => storage.retrieve('call_9_9_abcdefghijklmnopqrst'),
  },
  { name: 'stat', requires: ['stat'], run: (storage, reference, options) => storage.stat(reference, options) },
  {
    name: 'retrieve-range',
    requires: ['retrieveRange'],
    run: (storage, reference, options) => storage.retrieveRange(reference, { offset: 0, length: 1 }, options),
  },
  {
    name: 'open',
    requires: ['open'],
    run: (storage, reference, options) => opened(storage, reference, (content) => content.read(0, 1), options),
  },
  {
    name: 'store-stream',
    requires: ['storeStream'],
    run: (storage, _, options) => storage.storeStream('call_2_0', stream(bytes('new')), 'text/plain', options),
  },
  { name: 'list', requires: ['list'], run: (storage, _, options) => collect(storage.list(options)) },
  { name: 'delete', requires: ['delete'], run: (storage, reference, options) => storage.delete(reference, options) },
  {
    name: 'delete-unused',
    requires: ['delete'],
    run: (storage, reference, options) => storage.delete(reference, { ...options, unusedSince: Date.now() + 1e12 }),
  },
  { name: 'clear', requires: ['clear'], run: (storage, _, options) => storage.clear(options) },
  {
    name: 'end-turn',
    requires: ['endTurn'],
    settings: { evictAfterTurns: 1 },
    ignoresSignals: true,
    run: (storage) => storage.endTurn(),
  },
  {
    name: 'gc',
    requires: ['gc'],
    settings: { ttlMs: 600_000 },
    run: (storage, _, options) => storage.gc(options),
  },
]

export const outageCases: readonly ConformanceCase[] = [
  {
    id: 'outage/rejects',
    title: 'Storing and retrieving reject while the backend is down, and all entries exist afterwards',
    level: 'two-method',
    requires: ['outage'],
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const restore = await powers.outage()
      await rejection('retrieving during the outage', () => storage.retrieve(reference))
      await rejection('storing during the outage', () => storage.store('call_2_0', bytes('new')))
      await restore()
      await checkContent(storage, reference, bytes('content'), 'the entry after the outage')
      const later = await attempt('storing afterwards', () => storage.store('call_2_0', bytes('new')))
      await checkContent(storage, later, bytes('new'), 'an entry stored after the outage')
    },
  },
  ...OPERATIONS.map(({ name, requires = [], settings, run }): ConformanceCase => ({
    id: `outage/${name}`,
    title: `During an outage, ${name.replaceAll('-', ' ')} rejects as unavailable and retryable, and works afterwards`,
    requires: ['outage', ...requires],
    ...(settings === undefined ? {} : { settings }),
    async run({ storage, powers }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      if (name === 'end-turn') await storage.endTurn()
      const restore = await powers.outage()
      const error = await rejectionCode('unavailable', `${name} during an outage`, () => run(storage, reference))
      checkEqual(error.retryable, true, 'retryable')
      await restore()
      await checkContent(storage, reference, bytes('content'), 'the entry after the outage')
      if (name === 'retrieve-unknown')
        await rejectionCode('not-found', 'retrieving it after the outage', () => run(storage, reference))
      else await attempt(`${name} after the outage`, () => run(storage, reference))
    },
  })),
]

export const abortCases: readonly ConformanceCase[] = [
  ...OPERATIONS.filter(({ ignoresSignals }) => ignoresSignals !== true).map(
    ({ name, requires = [], run }): ConformanceCase => ({
      id: `abort/${name}`,
      title: `If its signal is aborted, ${name.replaceAll('-', ' ')} rejects with aborted and changes nothing`,
      requires: ['list', ...requires],
      async run({ storage }) {
        const reference = await storage.store('call_1_0', bytes('content'))
        const signal = AbortSignal.abort(new Error('no longer needed'))
        const error = await rejectionCode('aborted', `an aborted ${name}`, () => run(storage, reference, { signal }))
        checkEqual(error.retryable, false, 'retryable')
        checkEqual(await referencesIn(storage), [reference], 'entries')
      },
    }),
  ),
]

export const concurrencyCases: readonly ConformanceCase[] = [
  {
    id: 'concurrency/parallel-stores',
    title: '200 different contents stored in parallel under one key stay separate',
    level: 'two-method',
    async run({ storage }) {
      const contents = Array.from({ length: 200 }, (_, index) => pattern(index * 17, index + 1))
      const references = await attempt('storing in parallel', () =>
        Promise.all(contents.map((content) => storage.store('call_1_0', content, 'application/octet-stream'))),
      )
      checkEqual(new Set(references).size, 200, 'number of different references')
      await Promise.all(references.map((reference, index) => checkContent(storage, reference, contents[index]!)))
    },
  },
  {
    id: 'concurrency/retrieve-while-deleting',
    title: 'Retrieving an entry while it is deleted returns all of its content or rejects with not-found',
    requires: ['delete'],
    async run({ storage }) {
      const content = pattern(200_000, 43)
      for (let round = 0; round < 10; round += 1) {
        const reference = await storage.store('call_1_0', content)
        const retrieve = async (): Promise<void> => {
          const what = 'retrieving while deleting'
          const found = await unlessRejected('not-found', what, () => storage.retrieve(reference))
          if (found !== undefined) checkBytes(found.content, content, 'content')
        }
        await Promise.all([retrieve(), retrieve(), storage.delete(reference), retrieve(), retrieve()])
        await rejectionCode('not-found', 'retrieving afterwards', () => storage.retrieve(reference))
      }
    },
  },
  {
    id: 'concurrency/store-while-deleting',
    title: 'An entry created while a delete of the same entry runs exists afterwards',
    requires: ['delete'],
    async run({ storage }) {
      for (let round = 0; round < 20; round += 1) {
        const content = pattern(round * 1_000, 47)
        const reference = await storage.store('call_1_0', content, 'text/plain')
        const deleted = storage.delete(reference)
        await pause(round)
        const { created } = await storeWithReceipt(storage, 'call_1_0', content)
        await deleted
        // A store that found the entry may have run before the delete. A store that created it ran after the delete.
        if (created) await checkContent(storage, reference, content, 'the created entry')
      }
    },
  },
]

/** Cases that check the harness itself, because all other cases rely on it. */
export const harnessCases: readonly ConformanceCase[] = [
  {
    id: 'harness/isolated',
    title: 'The harness creates storages that share nothing',
    level: 'two-method',
    async run({ storage, another }) {
      const other = await another()
      const reference = await attempt('storing', () => storage.store('call_1_0', bytes('one')))
      await rejection('retrieving it from another storage', () => other.retrieve(reference))
      await checkContent(storage, reference, bytes('one'))
    },
  },
  {
    id: 'harness/fresh',
    title: 'The harness creates storages that are empty, and their unused scopes are empty',
    requires: ['list'],
    async run({ storage, another }) {
      await rejectionCode('not-found', 'retrieving a missing entry', () => storage.retrieve(`a_${'b'.repeat(20)}`))
      for (const view of [storage, (storage.scope?.('unused') ?? storage) as Required<Storage>])
        checkEqual(await attempt('listing', () => collect(view.list())), [], 'entries of a fresh storage')
      await storage.store('call_1_0', bytes('content'))
      checkEqual(await collect((await another()).list()), [], 'entries of another storage')
    },
  },
]
