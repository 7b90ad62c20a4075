import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import type { OffloadEvent } from '../offload/context-offloader-options.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import type { Storage } from '../storage/storage.ts'
import { shown } from '../storage/storage-input.ts'
import {
  assertOffloader,
  assertRunOptions,
  maxResultTokensOf,
  offloaderOfRun,
  runsOf,
  withEvictAfterTurns,
  type RunOptions,
} from './run-options.ts'

const usage = 'plugin(offloader, options)'

const offloader = new ContextOffloader({ storage: tinyStorage() })

const unscoped = new ContextOffloader({
  storage: { store: async () => 'r', retrieve: async () => ({ content: new Uint8Array(), contentType: 'text/plain' }) },
})

it.each<[string, ContextOffloader, RunOptions<never>]>([
  ['none at all', offloader, {}],
  ['a scope', offloader, { scope: () => ['a'] }],
  ['undefined', offloader, { scope: undefined }],
  ['a storage without scopes that all share', unscoped, { scope: () => [] }],
])('options of a run may be %s', (_, one, options) => {
  expect(() => assertRunOptions(one, options, { usage })).not.toThrow()
})

it('options of a run may include options that only the adapter knows', () => {
  expect(() => assertRunOptions(offloader, { mode: 7 } as never, { usage, others: ['mode'] })).not.toThrow()
})

it.each<[unknown, unknown, RegExp]>([
  [{}, {}, /^offloader must be a ContextOffloader, got an object: plugin\(offloader, options\)/],
  [offloader, null, /^options must be an object, got null: plugin\(/],
  [offloader, 'scope', /^options must be an object, got the string "scope"/],
  [offloader, { exept: [] }, /^Unknown option "exept"\. Known: scope, mode\.$/],
  [offloader, { scope: 'tenant' }, /^scope must be a function that gets the run, got the string "tenant"/],
  [unscoped, {}, /^This storage has no scope\(\)/],
])('options %o are refused with %o', (one, options, message) => {
  expect(() => assertRunOptions(one, options as RunOptions<never>, { usage, others: ['mode'] })).toThrow(message)
})

it('an offloader is accepted, with or without a scope', () => {
  const offloader = new ContextOffloader({ storage: tinyStorage() })
  for (const one of [offloader, offloader.forScope('a')])
    expect(() => assertOffloader(one, 'use(offloader)')).not.toThrow()
})

it.each([[undefined], [null], ['offloader'], [{}], [{ storage: tinyStorage() }], [tinyStorage()], [() => undefined]])(
  '%o is refused as an offloader, with the right call in the message',
  (value) => {
    expect(() => assertOffloader(value, 'use(offloader)')).toThrow(
      new TypeError(
        `offloader must be a ContextOffloader, got ${shown(value)}: use(offloader). Make one: new ContextOffloader({ storage }).`,
      ),
    )
  },
)

const LOG = 'a line of a log\n'.repeat(5_000)

const content = [{ type: 'text', text: LOG }] as const

const ofSegments = (segments: readonly string[]): readonly string[] => segments

/** Store the log in the scope of `writer`, and return whether `reader` finds it. */
async function shares(writer: readonly string[], reader: readonly string[]): Promise<boolean> {
  const offloaderOf = offloaderOfRun(new ContextOffloader({ storage: tinyStorage() }), ofSegments)
  const outcome = await offloaderOf(writer).offload({ toolName: 'read', toolCallId: 'c', content })
  if (outcome.status !== 'offloaded') throw new Error(`The log was not stored: ${outcome.reason}`)
  const [stored] = outcome.stored
  return !(await offloaderOf(reader).retrievalTool.execute({ reference: stored?.reference })).isError
}

it("a run's scope is isolated, and all runs of a scope share one offloader", async () => {
  expect(await shares(['a'], ['a'])).toBe(true)
  expect(await shares(['a'], ['b'])).toBe(false)
  expect(await shares(['a', 'b'], ['a'])).toBe(false)
  expect(await shares(['a'], [])).toBe(false)
})

it('a run without segments uses the given offloader, and all calls of a run use the same offloader', () => {
  const offloader = new ContextOffloader({ storage: tinyStorage() })
  const offloaderOf = offloaderOfRun(offloader, ofSegments)
  expect(offloaderOf([])).toBe(offloader)
  expect(offloaderOf(['a'])).toBe(offloaderOf(['a']))
})

it.each<[what: string, scope: (run: unknown) => readonly string[]]>([
  [
    'throws',
    () => {
      throw new RangeError('no tenant')
    },
  ],
  ['returns a string', (() => 'tenant') as unknown as () => readonly string[]],
  ['returns a promise', (async () => ['a']) as unknown as () => readonly string[]],
  ['returns nothing', (() => undefined) as unknown as () => readonly string[]],
  ['returns an empty segment', () => ['']],
  ['returns a value that is not a string', () => [undefined as unknown as string]],
  ['returns a huge segment', () => ['x'.repeat(2_000)]],
])('a run whose scope %s stores nothing, answers with errors, and emits an event', async (_what, scope) => {
  const events: OffloadEvent[] = []
  const all = new ContextOffloader({ storage: tinyStorage(), onEvent: (event) => void events.push(event) })
  const offloader = offloaderOfRun(all, scope)({})
  const outcome = await offloader.offload({ toolName: 'read', toolCallId: 'c', content })
  expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', content, error: { code: 'invalid-key' } })
  expect(events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
  const stored = await all.offload({ toolName: 'read', toolCallId: 'c', content })
  const reference = stored.status === 'offloaded' ? stored.stored[0]?.reference : undefined
  expect(await offloader.retrievalTool.execute({ reference })).toMatchObject({ isError: true })
  expect(await offloader.endTurn()).toEqual({ evicted: [] })
})

const form = {
  usage,
  read: (run: { session?: string }) => ({ id: run.session ?? '' }),
  scope: ({ id }: { id: string }) => (id === '' ? [] : [id]),
}

it('the option scope is called with the run, and the adapter names its default', () => {
  const byDefault = runsOf(offloader, {}, form)
  expect([byDefault.segmentsOf({ session: 'a' }), byDefault.segmentsOf({})]).toEqual([['a'], []])
  expect(byDefault.offloaderOf({})).toBe(offloader)
  const { segmentsOf } = runsOf(offloader, { scope: ({ id }) => ['tenant', id] }, form)
  expect(segmentsOf({ session: 'a' })).toEqual(['tenant', 'a'])
})

it('the limit of a tool is infinite if its results are never offloaded', () => {
  const tools = { bash: { maxResultTokens: 500 }, 'read_*': { offload: false } }
  const limited = new ContextOffloader({ storage: tinyStorage(), tools })
  const limits = ['bash', 'read_file', 'other'].map((name) => maxResultTokensOf(limited, name))
  expect(limits).toEqual([500, Infinity, 2_500])
})

it('the tool says that a scope can be searched without a reference if the storage has scopes', () => {
  const requires = (one: ContextOffloader): readonly string[] | undefined =>
    runsOf(one, { scope: () => [] }, form).retrievalTool.inputSchema.required
  expect(requires(offloader)).toBeUndefined()
  expect(requires(unscoped)).toEqual(['reference'])
})

it('all runs share a storage without scopes if the adapter allows that', () => {
  expect(() => assertRunOptions(unscoped, {}, { usage, mayShare: true })).not.toThrow()
  expect(() => assertRunOptions(offloader, { mode: 7 } as never, { usage, others: 'any' })).not.toThrow()
})

const hello = new TextEncoder().encode('hello')

async function evictedAfter(storage: Storage, turns: number): Promise<readonly string[]> {
  const evicted: string[] = []
  for (let turn = 0; turn < turns; turn += 1)
    for (const { reference } of (await storage.endTurn?.())?.evicted ?? []) evicted.push(reference)
  return evicted
}

it('a run may evict after more or fewer turns than its storage', async () => {
  const never = tinyStorage()
  const sooner = withEvictAfterTurns(never, 2)
  const reference = await sooner.store('a', hello)
  expect(await evictedAfter(sooner, 2)).toEqual([])
  expect(await evictedAfter(sooner, 1)).toEqual([reference])
  const always = withEvictAfterTurns(tinyStorage({ evictAfterTurns: 1 }), null)
  await always.store('a', hello)
  expect(await evictedAfter(always, 30)).toEqual([])
})

it('a change of turns keeps the content, the references and all other settings of the storage', async () => {
  const storage = tinyStorage({ maxBytes: 10 })
  const other = withEvictAfterTurns(storage, 5)
  const reference = await storage.scope('a').store('key', hello)
  expect(await other.scope?.('a').store('key', hello)).toBe(reference)
  expect((await other.scope?.('a').retrieve(reference))?.content).toEqual(hello)
  await expect(other.store('large', new Uint8Array(11))).rejects.toMatchObject({ code: 'too-large' })
})

const twoMethods: Storage = { store: async (key) => key, retrieve: () => Promise.reject(new Error('none')) }

it('turns other than null are refused for a scope and for a custom storage', () => {
  for (const storage of [tinyStorage().scope('a'), twoMethods]) {
    expect(() => withEvictAfterTurns(storage, 5, 'evictAfterCycles')).toThrow(
      /^evictAfterCycles needs a storage that counts turns/,
    )
    expect(withEvictAfterTurns(storage, null)).toBe(storage)
  }
})

it.each([0, -1, 1.5, Number.NaN, '5', {}])('turns cannot be %j', (turns) => {
  expect(() => withEvictAfterTurns(tinyStorage(), turns as number)).toThrow(
    /^evictAfterTurns must be a positive integer, or null for never/,
  )
})
