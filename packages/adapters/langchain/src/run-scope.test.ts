import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import '@langchain/langgraph'
import { expect, it } from 'vitest'
import { threadRuns, type RunScope } from './run-scope.ts'

const offloaderOfRun = (offloader: ContextOffloader, scope?: RunScope): ((runtime: unknown) => ContextOffloader) =>
  threadRuns(offloader, { scope }, { usage: 'a test' }).offloaderOf

const LOG = 'a line of a log\n'.repeat(1_000)

/** Store the log in the scope of `writer`, and return whether `reader` finds it. */
async function shares(writer: unknown, reader: unknown, scope?: RunScope): Promise<boolean> {
  const offloaderOf = offloaderOfRun(new ContextOffloader({ storage: new InMemoryStorage() }), scope)
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloaderOf(writer).offload({ toolName: 'read', toolCallId: 'c', content })
  if (outcome.status !== 'offloaded') throw new Error(`The log was not stored: ${outcome.reason}`)
  const [stored] = outcome.stored
  return !(await offloaderOf(reader).retrievalTool.execute({ reference: stored?.reference })).isError
}

const thread = (thread_id: unknown): unknown => ({ configurable: { thread_id } })

it('runScope isolates threads, and gives all runs of a thread the same scope', async () => {
  expect(await shares(thread('a'), thread('a'))).toBe(true)
  expect(await shares(thread('a'), thread('b'))).toBe(false)
  expect(await shares(thread('a'), {})).toBe(false)
})

it('runScope reads a numeric thread id as text, as checkpointers do', async () => {
  expect(await shares(thread(7), thread('7'))).toBe(true)
})

it.each([
  undefined,
  null,
  {},
  { configurable: undefined },
  { configurable: {} },
  thread(undefined),
  thread(null),
  thread(''),
])('runScope returns the offloader itself if there is no thread: %j', (runtime) => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  expect(offloaderOfRun(offloader)(runtime)).toBe(offloader)
})

it('runScope passes the run to the option scope', async () => {
  const runs: unknown[] = []
  const scope: RunScope = (run) => {
    runs.push(run)
    return [(run.context as { tenant: string }).tenant]
  }
  const of = (tenant: string): unknown => ({ configurable: { thread_id: 'a' }, context: { tenant }, signal: undefined })
  expect(await shares(of('one'), of('two'), scope)).toBe(false)
  expect(runs[0]).toEqual({ configurable: { thread_id: 'a' }, context: { tenant: 'one' } })
})

it("runScope finds the thread of a runtime without configurable in the run's config", async () => {
  const config = { configurable: { thread_id: 'a' }, context: { tenant: 'one' } }
  const runs: unknown[] = []
  const offloaderOf = offloaderOfRun(new ContextOffloader({ storage: new InMemoryStorage() }), (run) => {
    runs.push(run)
    return []
  })
  AsyncLocalStorageProviderSingleton.runWithConfig(config, () => offloaderOf({ context: undefined }))
  expect(runs).toEqual([config])
})

it.each<[what: string, scope: RunScope | undefined, runtime: unknown]>([
  [
    'throws',
    () => {
      throw new RangeError('no tenant')
    },
    {},
  ],
  ['returns a string', (() => 'tenant') as unknown as RunScope, {}],
  ['returns a promise', (async () => ['a']) as unknown as RunScope, {}],
  ['returns an empty segment', () => [''], {}],
  ['returns a value that is not a string', () => [undefined as unknown as string], {}],
  ['gets a huge thread id', undefined, thread('x'.repeat(2_000))],
  ['gets an object for a thread id', undefined, thread({})],
  ['gets true for a thread id', undefined, thread(true)],
])(
  'runScope stores nothing, answers with an error and emits an event if the scope %s',
  async (_what, scope, runtime) => {
    const events: OffloadEvent[] = []
    const storage = new InMemoryStorage()
    const all = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
    const offloader = offloaderOfRun(all, scope)(runtime)
    const content = [{ type: 'text', text: LOG }] as const
    const outcome = await offloader.offload({ toolName: 'read', toolCallId: 'c', content })
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', content, error: { code: 'invalid-key' } })
    expect(events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
    const stored = await all.offload({ toolName: 'read', toolCallId: 'c', content })
    const reference = stored.status === 'offloaded' ? stored.stored[0]?.reference : undefined
    expect(await offloader.retrievalTool.execute({ reference })).toMatchObject({ isError: true })
    expect(await offloader.endTurn()).toEqual({ evicted: [] })
  },
)
