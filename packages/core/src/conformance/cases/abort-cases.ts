import type { OperationOptions, Storage } from '../../storage/storage.ts'
import type { Capability, ConformanceCase } from '../conformance-case.ts'
import { attempt, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, stream } from '../sample.ts'

interface Operation {
  readonly name: string
  readonly requires?: readonly Capability[]
  readonly run: (storage: Required<Storage>, reference: string, options: OperationOptions) => Promise<unknown>
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'store',
    run: (storage, _reference, options) => storage.store('call_2_0', bytes('new'), 'text/plain', options),
  },
  { name: 'retrieve', run: (storage, reference, options) => storage.retrieve(reference, options) },
  { name: 'stat', requires: ['stat'], run: (storage, reference, options) => storage.stat(reference, options) },
  {
    name: 'retrieve-range',
    requires: ['retrieveRange'],
    run: (storage, reference, options) => storage.retrieveRange(reference, { offset: 0, length: 1 }, options),
  },
  {
    name: 'store-stream',
    requires: ['storeStream'],
    run: (storage, _reference, options) => storage.storeStream('call_2_0', stream(bytes('new')), 'text/plain', options),
  },
  { name: 'list', requires: ['list'], run: (storage, _reference, options) => collect(storage.list(options)) },
  { name: 'delete', requires: ['delete'], run: (storage, reference, options) => storage.delete(reference, options) },
  { name: 'clear', requires: ['clear'], run: (storage, _reference, options) => storage.clear(options) },
  { name: 'gc', requires: ['gc'], run: (storage, _reference, options) => storage.gc(options) },
]

/** A signal that has fired ends an operation. */
export const abortCases: readonly ConformanceCase[] = [
  ...OPERATIONS.map(({ name, requires = [], run }): ConformanceCase => ({
    id: `abort/${name}`,
    title: `With a signal that has fired, ${name.replaceAll('-', ' ')} rejects with aborted and changes nothing`,
    requires: ['list', ...requires],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const signal = AbortSignal.abort(new Error('no longer needed'))
      const error = await rejectionCode('aborted', `an aborted ${name}`, () => run(storage, reference, { signal }))
      checkEqual(error.retryable, false, 'retryable')
      checkEqual(
        (await collect(storage.list())).map((info) => info.reference),
        [reference],
        'entries',
      )
    },
  })),
  {
    id: 'abort/signal-that-does-not-fire',
    title: 'A signal that does not fire changes nothing, whenever it fires later',
    async run({ storage }) {
      const controller = new AbortController()
      const { signal } = controller
      const reference = await attempt('storing with a signal', () =>
        storage.store('call_1_0', bytes('content'), 'text/plain', { signal }),
      )
      await attempt('retrieving with a signal', () => storage.retrieve(reference, { signal }))
      controller.abort()
      await attempt('retrieving afterwards', () => storage.retrieve(reference))
    },
  },
]
