import { expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import type { OffloadEvent } from '../offload/context-offloader-options.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { offloaderOfRun } from './offloader-of-run.ts'

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

it('keeps scopes apart, and gives all runs of one the same', async () => {
  expect(await shares(['a'], ['a'])).toBe(true)
  expect(await shares(['a'], ['b'])).toBe(false)
  expect(await shares(['a', 'b'], ['a'])).toBe(false)
  expect(await shares(['a'], [])).toBe(false)
})

it('takes the offloader as it is for no segments, and makes one for several calls of a run', () => {
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
  ['returns what is no string', () => [undefined as unknown as string]],
  ['returns a huge segment', () => ['x'.repeat(2_000)]],
])('stores nothing, answers and tells of it where the scope %s', async (_what, scope) => {
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
