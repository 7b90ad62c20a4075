import type { StoreReceipt } from '../../storage/storage.ts'
import type { CaseContext, ConformanceCase } from '../harness.ts'
import { attempt, check, checkEqual, rejection, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern, stream } from '../sample.ts'
import { checkContent } from './combined/methods.ts'

const MB = 1024 * 1024

async function* pieces(content: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += length) yield content.slice(start, start + length)
}

async function checkNothingStored({ storage }: CaseContext): Promise<void> {
  checkEqual(await collect(storage.list()), [], 'entries')
}

export const streamCases: readonly ConformanceCase[] = [
  {
    id: 'stream/many-small-chunks',
    title: 'Thousands of small and empty chunks, or none, are returned as one content with its type',
    requires: ['storeStream'],
    async run({ storage }) {
      const empty = new Uint8Array(0)
      const content = pattern(20_000, 23)
      const chunks = Array.from({ length: Math.ceil(content.length / 7) }, (_, index) => [
        content.slice(index * 7, index * 7 + 7),
        ...(index % 10 === 0 ? [empty] : []),
      ]).flat()
      for (const [whole, parts] of [
        [content, chunks],
        [empty, []],
        [empty, [empty, empty]],
      ] as const)
        for (const type of ['Text/CSV', undefined]) {
          const reference = await attempt('storing a stream', () => storage.storeStream('call', stream(...parts), type))
          await checkContent(storage, reference, whole, 'the stream', type ?? 'text/plain')
        }
    },
  },
  {
    id: 'stream/20-mb',
    title: 'A stream of 20 MB is returned whole',
    requires: ['storeStream'],
    async run({ storage }) {
      const content = pattern(20 * MB + 5, 29)
      const reference = await attempt('storing a stream', () => storage.storeStream('large', pieces(content, 61_000)))
      await checkContent(storage, reference, content)
    },
  },
  {
    id: 'stream/as-any-entry',
    title: 'A streamed entry has a reference of the same form, a receipt, a description, and its key and metadata',
    requires: ['storeStream', 'stat', 'list'],
    async run({ storage }) {
      const receipts: StoreReceipt[] = []
      const reference = await storage.storeStream('Call 1', stream(bytes('con'), bytes('tent')), 'text/csv', {
        metadata: { tool: 'read_table' },
        onStored: (receipt) => receipts.push(receipt),
      })
      check(/^call_1_[a-z0-9_]{1,57}$/.test(reference), `${reference} has another form`)
      checkEqual(
        receipts.map((receipt) => [receipt.reference, receipt.created]),
        [[reference, true]],
        'receipts',
      )
      const { key, contentType, size, metadata } = await storage.stat(reference)
      checkEqual([key, contentType, size, metadata], ['Call 1', 'text/csv', 7, { tool: 'read_table' }], 'description')
      checkEqual((await collect(storage.list())).length, 1, 'number of entries')
    },
  },
  {
    id: 'stream/reused-buffer',
    title: 'A stream may reuse one buffer for all chunks',
    requires: ['storeStream'],
    async run({ storage }) {
      const content = pattern(5_000, 37)
      async function* chunks(): AsyncGenerator<Uint8Array> {
        const buffer = new Uint8Array(100)
        for (let start = 0; start < content.length; start += 100) {
          buffer.set(content.subarray(start, start + 100))
          yield buffer
        }
        buffer.fill(0)
      }
      await checkContent(storage, await storage.storeStream('call_1_0', chunks()), content)
    },
  },
  {
    id: 'stream/failing-source',
    title: "A stream that fails leaves nothing, and storeStream rejects with the stream's error",
    requires: ['storeStream', 'list'],
    async run(context) {
      const scope = context.storage.scope?.('a') as typeof context.storage | undefined
      const at = (size: number): typeof context.storage => (size === 10 ? (scope ?? context.storage) : context.storage)
      for (const size of [0, 10, 300_000]) {
        const failure = new Error('the source failed')
        async function* chunks(): AsyncGenerator<Uint8Array> {
          if (size > 0) yield pattern(size)
          throw failure
        }
        const error = await rejection('storing a failing stream', () => at(size).storeStream('call_1_0', chunks()))
        check(error === failure, `the error of the stream became ${String(error)}`)
        await checkNothingStored(context)
      }
    },
  },
  ...(['aborted', 'aborted-while-waiting'] as const).map((name): ConformanceCase => ({
    id: `stream/${name}`,
    title: `Aborting ends a stream ${name === 'aborted' ? 'and releases its source' : 'that waits for its next chunk'}, and leaves nothing`,
    requires: ['storeStream', 'list'],
    async run(context) {
      const controller = new AbortController()
      const { signal } = controller
      let released = false
      async function* chunks(): AsyncGenerator<Uint8Array> {
        try {
          for (let index = 0; index < 10; index += 1) yield pattern(100, index)
          if (name === 'aborted') controller.abort()
          else setTimeout(() => controller.abort(), 0)
          if (name === 'aborted-while-waiting') await new Promise<never>(() => undefined)
          for (let index = 0; index < 1_000; index += 1) yield pattern(100, index)
        } finally {
          released = true
        }
      }
      await rejectionCode('aborted', 'storing an aborted stream', () =>
        context.storage.storeStream('call_1_0', chunks(), 'text/plain', { signal }),
      )
      if (name === 'aborted') check(released, 'the source was not released')
      await checkNothingStored(context)
    },
  })),
]
