import { describe, expect, it } from 'vitest'
import { InMemoryStorage } from '@spillway/memory'
import { ContextOffloader, StorageError, type Storage } from '@spillway/core'
import { offloaderArchive } from './archive/offloader-archive.ts'
import { compactHistory } from './compact-history.ts'
import { expandHistory } from './expand-history.ts'
import { findNames } from './compact/argument-texts.ts'
import { openAIChat } from './formats/openai-chat.ts'

type ChatMessage = Record<string, unknown>

const text = (name: string, lines: number): string =>
  Array.from({ length: lines }, (_, line) => `${name} line ${line} is ok`).join('\n')
const step = (id: string, content: unknown, args: object = {}): ChatMessage[] => [
  {
    role: 'assistant',
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: JSON.stringify(args) } }],
  },
  { role: 'tool', tool_call_id: id, content },
]
const MESSAGES: ChatMessage[] = [
  { role: 'system', content: 'You help.' },
  { role: 'user', content: `Explain ${text('log', 900)}` },
  ...step('call_1', [
    { type: 'text', text: text('one', 600), annotation: 1 },
    { type: 'text', text: text('two', 600) },
  ]),
  ...step('call_2', 'ok', { path: '/a', content: text('file', 900) }),
  { role: 'user', content: 'Go on.' },
  { role: 'assistant', content: text('answer', 300) },
  ...step('call_3', text('three', 700)),
  ...step('call_4', text('four', 40)),
]
const SUMMARY =
  '<state_snapshot><overall_goal>Explain the log</overall_goal><key_knowledge>It is ok.</key_knowledge></state_snapshot>'

/** The faults of one storage call. The call fails before or after its effect, alone or with all later calls. */
const FAULTS = ['before', 'after', 'down before', 'down after'] as const

/** A storage whose call with this number, counted from 1, fails. */
function faulty(
  storage: Storage,
  at: number,
  fault: (typeof FAULTS)[number],
): { storage: Storage; calls: () => number } {
  let calls = 0
  const wrap =
    <Input extends unknown[], Output>(run: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      calls += 1
      const isHit = calls === at
      const isDown = isHit || (fault.startsWith('down') && calls > at)
      const error = new StorageError('unavailable', 'The storage is out of reach.')
      if (isDown && !(isHit && fault.endsWith('after'))) throw error
      const output = await run(...input)
      if (isDown) throw error
      return output
    }
  return {
    calls: () => calls,
    storage: {
      store: wrap((...input: Parameters<Storage['store']>) => storage.store(...input)),
      retrieve: wrap((...input: Parameters<Storage['retrieve']>) => storage.retrieve(...input)),
      stat: wrap((...input: Parameters<NonNullable<Storage['stat']>>) => storage.stat!(...input)),
      delete: wrap((...input: Parameters<NonNullable<Storage['delete']>>) => storage.delete!(...input)),
    },
  }
}

describe.each(['compact', 'compress', 'auto'] as const)('compactHistory in mode %s', (mode) => {
  it.each(FAULTS)(
    'gives the complete old or new history without a missing reference if any storage call fails %s',
    async (fault) => {
      const format = openAIChat<ChatMessage>()
      for (let at = 1; ; at++) {
        const healthy = new InMemoryStorage({ evictAfterTurns: null }).scope('a')
        const { storage, calls } = faulty(healthy, at, fault)
        const settings = { format, mode, maxTotalTokens: 3_000, maxToolMessageTokens: 400, groupTokens: 3_000 }
        const offloader = new ContextOffloader({ storage })
        const outcome = await compactHistory(MESSAGES, { ...settings, offloader, summarize: async () => SUMMARY })
        if (calls() < at) {
          expect(at).toBeGreaterThan(3)
          expect(outcome.failures).toEqual([])
          return
        }
        const later = new ContextOffloader({ storage: healthy })
        const expanded = await expandHistory(outcome.messages, { format, offloader: later })
        expect(expanded, `a fault at call ${at}`).toEqual({ messages: MESSAGES, missing: [] })
        const archive = offloaderArchive(later)
        for (const message of format.read(outcome.messages))
          for (const { name } of findNames(message, archive))
            await expect(healthy.stat!(name)).resolves.toMatchObject({ reference: name })
        if (!outcome.fits) expect(outcome.obstacles.length).toBeGreaterThan(0)
      }
    },
  )
})
