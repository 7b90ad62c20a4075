import { expect, it } from 'vitest'
import { InMemoryStorage } from '@spillway/memory'
import { ContextOffloader } from '@spillway/core'
import { compactorOfRun } from './compactor-of-run.ts'
import { openAIChat } from '../formats/openai-chat.ts'

const LOG = Array.from({ length: 2_000 }, (_, line) => `line ${line} of the log`).join('\n')
const messages = [
  { role: 'user', content: 'Why did it fail?' },
  { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'call_1', content: LOG },
  { role: 'assistant', content: 'Line 7 says so.' },
]
const create = (scope: (run: unknown) => readonly string[]) => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })
  const options = { format: openAIChat<(typeof messages)[number]>(), mode: 'compact', maxTotalTokens: 1_000 } as const
  return { offloader, compactorOf: compactorOfRun(offloader, scope, options) }
}
const ofSegments = (run: unknown): readonly string[] => run as readonly string[]

it('a compactor of a run stores only in the scope of that run', async () => {
  const { offloader, compactorOf } = create(ofSegments)
  const { stored, fits } = await compactorOf(['a']).compact(messages)
  expect(fits).toBe(true)
  const reference = stored[0]!.name
  expect((await offloader.forScope('a').retrievalTool.execute({ reference })).isError).toBe(false)
  expect((await offloader.forScope('b').retrievalTool.execute({ reference })).isError).toBe(true)
})

it('runs of one scope share a compactor, even if runs of other scopes are between them', () => {
  const { compactorOf } = create(ofSegments)
  const first = compactorOf(['a', 'b'])
  expect(compactorOf(['a,b'])).not.toBe(first)
  expect(compactorOf([])).toBe(compactorOf([]))
  expect(compactorOf(['a', 'b'])).toBe(first)
})

it('the compactor of the least recently used scope is evicted first', () => {
  const { compactorOf } = create(ofSegments)
  const [first, second] = [compactorOf(['1']), compactorOf(['2'])]
  for (let number = 3; number <= 101; number++) {
    expect(compactorOf(['1'])).toBe(first)
    compactorOf([`${number}`])
  }
  expect(compactorOf(['1'])).toBe(first)
  expect(compactorOf(['2'])).not.toBe(second)
})

it.each<[what: string, scope: () => readonly string[]]>([
  [
    'throws',
    () => {
      throw new RangeError('no tenant')
    },
  ],
  ['returns a string', (() => 'tenant') as unknown as () => readonly string[]],
  ['returns a value that JSON cannot express', () => [1n as unknown as string]],
  ['returns an empty segment', () => ['']],
])('the history does not change if the scope %s', async (_what, scope) => {
  const outcome = await create(scope).compactorOf({}).compact(messages)
  expect(outcome.messages).toBe(messages)
  expect(outcome.failures).toMatchObject([{ step: 'store', error: { code: 'invalid-key' } }])
})

it('invalid options are rejected at construction', () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })
  const make = (options: object) => () => compactorOfRun(offloader, () => [], options)
  expect(make({ mode: 'shrink' })).toThrow(/mode must be/)
  expect(make({ maxTokens: 7 })).toThrow(/Unknown option "maxTokens"/)
  expect(make({ archive: {} })).toThrow(
    'archive cannot be set for all runs, because each run has its own. Leave it out.',
  )
})
