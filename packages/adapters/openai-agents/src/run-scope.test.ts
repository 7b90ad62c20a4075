import { RunContext } from '@openai/agents'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { LOG } from '../test/ask.ts'
import { enterRun, findRun, sessionRuns, type OffloadOptions, type ScopeRun } from './run-scope.ts'

const offload = { toolName: 'read', toolCallId: 'c', content: [{ type: 'text', text: LOG }] } as const

describe('sessionRuns', () => {
  /** Store the log in the scope of `writer`, and return whether `reader` finds it. */
  async function shares(writer: ScopeRun, reader: ScopeRun, options: OffloadOptions = {}): Promise<boolean> {
    const offloaderOf = sessionRuns(new ContextOffloader({ storage: new InMemoryStorage() }), options, {
      usage: 'a test',
    }).offloaderOf
    const outcome = await offloaderOf(writer).offload(offload)
    const reference = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : expect.fail(outcome.reason)
    return !(await offloaderOf(reader).retrievalTool.execute({ reference })).isError
  }

  it('isolates sessions, and runs without a session from all sessions', async () => {
    const [a, b, none] = [{ context: {}, sessionId: 'a' }, { context: {}, sessionId: 'b' }, { context: {} }]
    expect(await shares(a, a)).toBe(true)
    expect(await shares(a, b)).toBe(false)
    expect(await shares(a, none)).toBe(false)
    expect(await shares(none, a)).toBe(false)
  })

  it('returns the offloader itself if there is no session', () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const offloaderOf = sessionRuns(offloader, {}, { usage: 'a test' }).offloaderOf
    for (const sessionId of [undefined, '']) expect(offloaderOf({ context: {}, sessionId })).toBe(offloader)
  })

  it('passes the context and the session to the option scope', async () => {
    const scope = ({ context, sessionId }: ScopeRun): string[] => [
      (context as { tenant: string }).tenant,
      sessionId ?? '',
    ]
    const of = (tenant: string): ScopeRun => ({ context: { tenant }, sessionId: 'a' })
    expect(await shares(of('one'), of('one'), { scope })).toBe(true)
    expect(await shares(of('one'), of('two'), { scope })).toBe(false)
  })

  it.each<[string, OffloadOptions['scope'], string]>([
    ['throws', ({ context }) => [(context as { tenant: { id: string } }).tenant.id], 'a'],
    ['does not return an array', (() => 'a') as never, 'a'],
    ['gets a session id that cannot be a scope', undefined, 'x'.repeat(2_000)],
    ['gets an id that is not a text', undefined, 7 as never],
  ])('stores nothing and emits an event if the scope %s', async (_what, scope, sessionId) => {
    const events: OffloadEvent[] = []
    const all = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: (event) => void events.push(event) })
    const outcome = await sessionRuns(all, { scope }, { usage: 'a test' })
      .offloaderOf({ context: {}, sessionId })
      .offload(offload)
    expect(outcome).toMatchObject({ status: 'inline', reason: 'failed', error: { code: 'invalid-key' } })
    expect(events).toMatchObject([{ type: 'offload-failed', error: { code: 'invalid-key' } }])
  })

  it('rejects invalid arguments, and shows the call in the message', () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    expect(() => sessionRuns({} as never, {}, { usage: 'use(offloader)' })).toThrow(
      /must be a ContextOffloader.*use\(offloader\)/,
    )
    expect(() => sessionRuns(offloader, { exept: [] } as never, { usage: '' })).toThrow('Unknown option "exept"')
  })
})

describe('enterRun', () => {
  const run = (context: RunContext, sessionId?: string): Parameters<typeof enterRun>[1] => ({ context, sessionId })

  it('finds a run by its context and the copies of this context, until the run ends', () => {
    const context = new RunContext({ tenant: 'a' })
    const fork = new RunContext({ tenant: 'b' })
    fork.usage = context.usage
    expect(findRun(context)).toEqual({ context: { tenant: 'a' } })
    const leave = enterRun(context, run(context, 's'))
    expect(findRun(context)).toMatchObject({ context: { tenant: 'a' }, sessionId: 's' })
    expect(findRun(fork)).toMatchObject({ context: { tenant: 'b' }, sessionId: 's' })
    expect(findRun(new RunContext(context.context)).sessionId).toBeUndefined()
    leave()
    leave()
    expect(findRun(context).sessionId).toBeUndefined()
  })

  it('accepts runs of one session in one context, and rejects another session while a run is active', () => {
    const context = new RunContext()
    const [leaveFirst, leaveSecond] = [enterRun(context, run(context, 'a')), enterRun(context, run(context, 'a'))]
    for (const other of ['b', undefined])
      expect(() => enterRun(context, run(context, other))).toThrow(
        'This RunContext is in use by a run of another session',
      )
    leaveFirst()
    expect(findRun(context).sessionId).toBe('a')
    leaveSecond()
    enterRun(context, run(context, 'b'))
    expect(findRun(context).sessionId).toBe('b')
  })
})
