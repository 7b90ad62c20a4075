import type { MastraDBMessage } from '@mastra/core/agent'
import { RequestContext } from '@mastra/core/request-context'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { threadRuns, type OffloadOptions, type RunContext } from './run-scope.ts'

type RunScope = NonNullable<OffloadOptions['scope']>

const LOG = 'a line of a log\n'.repeat(1_000)

const scoped = (offloader: ContextOffloader, scope?: RunScope): ((context: RunContext) => ContextOffloader) =>
  threadRuns(offloader, { scope }, { usage: 'offloadProcessor(offloader, options)' }).offloaderOf

/** Store the log in the scope of `writer`, and return whether `reader` finds it. */
async function shares(writer: RunContext, reader: RunContext, scope?: RunScope): Promise<boolean> {
  const offloaderOf = scoped(new ContextOffloader({ storage: new InMemoryStorage() }), scope)
  const content = [{ type: 'text', text: LOG }] as const
  const outcome = await offloaderOf(writer).offload({ toolName: 'read', toolCallId: 'c', content })
  if (outcome.status !== 'offloaded') throw new Error(`The log was not stored: ${outcome.reason}`)
  const [stored] = outcome.stored
  return !(await offloaderOf(reader).retrievalTool.execute({ reference: stored?.reference })).isError
}

const message = (threadId?: string, resourceId?: string): MastraDBMessage => ({
  id: 'message',
  role: 'user',
  createdAt: new Date(0),
  content: { format: 2, parts: [] },
  ...(threadId !== undefined && { threadId }),
  ...(resourceId !== undefined && { resourceId }),
})
/** A run as processors see it. */
const run = (threadId?: string, resourceId?: string): RunContext => ({ messages: [message(threadId, resourceId)] })
/** A run as tools see it. */
const tool = (threadId?: string, resourceId?: string): RunContext => ({ agent: { threadId, resourceId } })
/** A request context with the thread of a memory. */
const memory = (id: string, resourceId?: string): RequestContext => {
  const context = new RequestContext()
  context.set('MastraMemory', { thread: { id }, resourceId })
  return context
}

it('runScope isolates threads, and gives processors and tools of a thread the same scope', async () => {
  expect(await shares(run('a'), run('a'))).toBe(true)
  expect(await shares(run('a'), tool('a'))).toBe(true)
  expect(await shares(run('a'), { requestContext: memory('a') })).toBe(true)
  expect(await shares(run('a'), run('b'))).toBe(false)
  expect(await shares(run('a'), tool('b'))).toBe(false)
  expect(await shares(run('a'), {})).toBe(false)
})

it('runScope prefers the thread of the newest message, because older messages may come from other threads', async () => {
  const recalled = { messages: [message('other'), message('a'), message()] }
  expect(await shares(recalled, tool('a'))).toBe(true)
  expect(await shares(recalled, tool('other'))).toBe(false)
})

it('runScope prefers the thread of a sub-agent to the thread of the calling run', async () => {
  const context = { ...run('sub'), requestContext: memory('parent') }
  expect(await shares(context, { ...tool('sub'), requestContext: memory('parent') })).toBe(true)
  expect(await shares(context, run('parent'))).toBe(false)
})

it.each<[what: string, context: RunContext]>([
  ['nothing is known', {}],
  ['there are no messages', { messages: [] }],
  ['messages have no thread', run()],
  ['the thread is empty', run('')],
  ['a tool runs by itself', { agent: undefined, requestContext: new RequestContext() }],
])('runScope returns the offloader itself if %s', (_what, context) => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  expect(scoped(offloader)(context)).toBe(offloader)
})

it('runScope passes the run to the option scope', async () => {
  const asked: unknown[] = []
  const scope: RunScope = (one) => {
    asked.push(one)
    return [one.resourceId ?? 'nobody', one.threadId ?? 'none']
  }
  expect(await shares(run('a', 'one'), run('a', 'two'), scope)).toBe(false)
  expect(await shares(run('a', 'one'), tool('a', 'one'), scope)).toBe(true)
  expect(await shares(run('a', 'one'), { requestContext: memory('a', 'one') }, scope)).toBe(true)
  const requestContext = new RequestContext()
  await shares({ ...run('a', 'one'), requestContext }, {}, scope)
  expect(asked).toContainEqual({ threadId: 'a', resourceId: 'one', requestContext })
  expect(asked).toContainEqual({ threadId: undefined, resourceId: undefined, requestContext: undefined })
})

it.each<[what: string, scope: RunScope | undefined, context: RunContext]>([
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
  ['gets a huge thread id', undefined, run('x'.repeat(2_000))],
])(
  'runScope stores nothing, answers with an error and emits an event if the scope %s',
  async (_what, scope, context) => {
    const events: OffloadEvent[] = []
    const all = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: (event) => void events.push(event) })
    const offloader = scoped(all, scope)(context)
    const content = [{ type: 'text', text: LOG }] as const
    const outcome = await offloader.offload({ toolName: 'read', toolCallId: 'c', content })
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', content, error: { code: 'invalid-key' } })
    expect(events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
    expect(await offloader.retrievalTool.execute({ reference: 'c_0_aaaaaaaaaaaaaaaaaaaa' })).toMatchObject({
      isError: true,
    })
    expect(await offloader.endTurn()).toEqual({ evicted: [] })
  },
)
