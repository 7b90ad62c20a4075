/** Tests Strands' own ContextOffloader in its own agent loop, with every storage of Spillway in both storage forms. */
import {
  Agent,
  BeforeModelCallEvent,
  ImageBlock,
  JsonBlock,
  Message,
  TextBlock,
  tool,
  type Plugin,
} from '@strands-agents/sdk'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import type { ScopedStorage } from '@spillway/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { strandsStorage } from '../../src/storage/index.ts'
import { backends } from './support/backends.ts'
import { lastResult, referencesIn, ScriptedModel, type Turn } from './support/scripted-model.ts'

const LOG = Array.from({ length: 4_000 }, (_, line) => `line ${line + 1} ${line === 2_999 ? 'FAILED' : 'ok'} – ü`).join(
  '\n',
)
const PNG = Uint8Array.from({ length: 3_000 }, (_, at) => at & 0xff)

const readLog = tool({ name: 'read_log', description: 'Read.', inputSchema: z.object({}), callback: () => LOG })
const readAll = tool({
  name: 'read_all',
  description: 'Read.',
  inputSchema: z.object({}),
  callback: () => [
    new TextBlock(LOG),
    new JsonBlock({ json: { rows: [1, 2] } }),
    new ImageBlock({ format: 'png', source: { bytes: PNG } }),
  ],
})
const retrieve =
  (input: object) =>
  (messages: Message[]): Turn => ({
    tool: 'retrieve_offloaded_content',
    input: { reference: firstReference(messages), ...input },
  })

/** The reference in the first replacement of a conversation. */
function firstReference(messages: Message[]): string {
  const at = messages.findIndex((_, index) => index > 0 && messages[index]?.role === 'user')
  return referencesIn(lastResult(messages.slice(0, at + 1)))[0] ?? ''
}

async function run(
  plugins: Plugin[],
  turns: readonly (Turn | ((messages: Message[]) => Turn))[],
  messages: Message[] = [],
): Promise<{ messages: Message[]; results: string[] }> {
  const model = new ScriptedModel(turns)
  const agent = new Agent({ model, tools: [readLog, readAll], plugins, messages, printer: false })
  await agent.invoke('What is in the log?')
  const results = model.prompts
    .filter((prompt) => prompt.at(-1)?.content[0]?.type === 'toolResultBlock')
    .map(lastResult)
  return { messages: agent.messages, results }
}

async function countEntries(storage: ScopedStorage): Promise<number> {
  return (await Array.fromAsync(storage.list())).length
}

describe.each(backends)("Strands' ContextOffloader on $name", ({ missing, create }) => {
  describe.each([
    ['the legacy form', (storage: ScopedStorage) => storage.scope('session-1')],
    ['the unified form', (storage: ScopedStorage) => strandsStorage(storage.scope('session-1'))],
  ] as const)('in %s', (_form, form) => {
    test.skipIf(missing !== undefined)('offloads content, and finds it by pattern, by range and whole', async () => {
      const storage = (await create())()
      const { results } = await run(
        [new ContextOffloader({ storage: form(storage) })],
        [
          { tool: 'read_log', input: {} },
          retrieve({ pattern: 'FAILED', context_lines: 1 }),
          retrieve({ line_range: { start: 3_999, end: 4_000 } }),
          retrieve({}),
        ],
      )
      expect(results[0]).toMatch(/^\[Offloaded: 1 blocks, /)
      expect(results[0]?.length).toBeLessThan(6_000)
      expect(results[1]).toBe(
        '[1 match for /FAILED/]\n\n  2999| line 2999 ok – ü\n> 3000| line 3000 FAILED – ü\n  3001| line 3001 ok – ü',
      )
      expect(results[2]).toBe('[Lines 3999-4000 of 4000]\n\n  3999| line 3999 ok – ü\n  4000| line 4000 ok – ü')
      expect(results[3]).toBe(LOG)
      expect(await countEntries(storage)).toBe(1)
    })

    test.skipIf(missing !== undefined)(
      'keeps each block of a result with its type, and returns it unchanged',
      async () => {
        const storage = (await create())()
        const references: string[] = []
        const nth =
          (index: number) =>
          (messages: Message[]): Turn => {
            if (references.length === 0) references.push(...referencesIn(lastResult(messages)))
            return { tool: 'retrieve_offloaded_content', input: { reference: references[index] } }
          }
        const { messages } = await run(
          [new ContextOffloader({ storage: form(storage) })],
          [{ tool: 'read_all', input: {} }, nth(0), nth(1), nth(2)],
        )
        const answers = messages.flatMap(({ content }) => content).filter((block) => block.type === 'toolResultBlock')
        const [text, json, image] = answers.slice(1).map(({ content }) => content[0])
        expect(text).toMatchObject({ type: 'textBlock', text: LOG })
        expect(json).toMatchObject({ type: 'jsonBlock', json: { rows: [1, 2] } })
        expect(image).toMatchObject({ type: 'imageBlock', format: 'png', source: { bytes: PNG } })
        const types = (await Array.fromAsync(storage.list())).map(({ contentType }) => contentType)
        expect(types.toSorted()).toEqual(['application/json', 'image/png', 'text/plain'])
      },
    )

    test.skipIf(missing !== undefined)('finds content after a restart', async () => {
      const open = await create()
      const before = await run([new ContextOffloader({ storage: form(open()) })], [{ tool: 'read_log', input: {} }])
      const { results } = await run(
        [new ContextOffloader({ storage: form(open()) })],
        [retrieve({ pattern: 'FAILED', context_lines: 0 })],
        before.messages.map((message) => Message.fromMessageData(message.toJSON())),
      )
      expect(results).toEqual(['[1 match for /FAILED/]\n\n> 3000| line 3000 FAILED – ü'])
    })

    test.skipIf(missing !== undefined)('hides content from another scope that has copied the reference', async () => {
      const storage = (await create())()
      const { messages } = await run(
        [new ContextOffloader({ storage: form(storage) })],
        [{ tool: 'read_log', input: {} }],
      )
      const { results } = await run(
        [new ContextOffloader({ storage: form(storage.scope('elsewhere')) })],
        [retrieve({})],
        messages,
      )
      expect(results).toEqual([expect.stringMatching(/^Error: reference not found: /)])
    })
  })

  test.skipIf(missing !== undefined)(
    'evicts content stored evictAfterCycles cycles ago, in the unified form',
    async () => {
      const storage = (await create())()
      const plugin = new ContextOffloader({ storage: strandsStorage(storage), evictAfterCycles: 2 })
      const still = retrieve({ line_range: { start: 1, end: 1 } })
      const { messages, results } = await run([plugin], [{ tool: 'read_log', input: {} }, still, still, still])
      expect(results[1]).toBe('[Lines 1-1 of 4000]\n\n  1| line 1 ok – ü')
      // The plugin does not wait for its deletions.
      await expect.poll(() => countEntries(storage)).toBe(0)
      const later = await run([plugin], [still], messages)
      expect(later.results).toEqual([expect.stringMatching(/^Error: reference not found: /)])
    },
  )

  test.skipIf(missing !== undefined)(
    'evicts content by turns since its last retrieval, in the legacy form with one more hook',
    async () => {
      const storage = (await create())({ evictAfterTurns: 2 })
      const endTurns: Plugin = {
        name: 'end-turns',
        initAgent: (agent) => void agent.addHook(BeforeModelCallEvent, async () => void (await storage.endTurn())),
      }
      const plugins = [new ContextOffloader({ storage }), endTurns]
      const still = retrieve({ line_range: { start: 1, end: 1 } })
      const idle: Turn = { tool: 'retrieve_offloaded_content', input: { reference: 'none' } }
      const { results } = await run(plugins, [
        { tool: 'read_log', input: {} },
        idle,
        still,
        idle,
        still,
        idle,
        idle,
        idle,
        still,
      ])
      expect(results[2]).toBe(results[4])
      expect(results[4]).toBe('[Lines 1-1 of 4000]\n\n  1| line 1 ok – ü')
      expect(results.at(-1)).toMatch(/^Error: reference not found: /)
      expect(await countEntries(storage)).toBe(0)
    },
  )
})
