import type Anthropic from '@anthropic-ai/sdk'
import { ContextOffloader } from '@spillway/core'
import { anthropicMessages, compactorOfRun, expandHistory, type SummaryRequest } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, expect, it, vi } from 'vitest'
import { historyParams, type SessionHistoryOptions } from './history-params.ts'

const LOG = 'a line of the log, and another word\n'.repeat(200)
const SNAPSHOT = '<overall_goal>Find it.</overall_goal><key_knowledge>It is not in the log.</key_knowledge>'
const summarize = async (): Promise<string> => `<state_snapshot>${SNAPSHOT}</state_snapshot>`
const COMPACT: SessionHistoryOptions = { maxTotalTokens: 3_000, maxToolMessageTokens: 500, mode: 'compact' }
const COMPRESS: SessionHistoryOptions = { maxTotalTokens: 3_000, maxToolMessageTokens: 5_000, summarize }

/** A request after `steps` calls of a tool that returns a log. */
function requestOf(steps: number): { model: string; max_tokens: number; messages: Anthropic.MessageParam[] } {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Find it.' }]
  for (let step = 1; step <= steps; step += 1) {
    const id = `call_${step}`
    messages.push({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: {} }] })
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: LOG }] })
  }
  return { model: 'claude-opus-5', max_tokens: 1_024, messages }
}

let session: ContextOffloader

beforeEach(() => {
  session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
})

it('historyParams returns the same request if it is within the limit', async () => {
  const request = requestOf(1)
  expect(await historyParams(session)(request)).toBe(request)
})

it("historyParams replaces only older results by references, and does not change the program's messages", async () => {
  const request = { ...requestOf(5), system: 'Be brief.', temperature: 0 }
  const before = structuredClone(request)
  const smaller = await historyParams(session, COMPACT)(request)
  expect(request).toEqual(before)
  expect({ ...smaller, messages: [] }).toEqual({ ...request, messages: [] })
  expect(JSON.stringify(smaller.messages[2])).toContain('[Offloaded: ')
  expect(smaller.messages.at(-1)).toBe(request.messages.at(-1))
  const expanded = await expandHistory(smaller, {
    offloader: session,
    format: anthropicMessages<Anthropic.MessageParam>(),
  })
  expect(expanded.messages.messages).toEqual(request.messages)
})

it.each<[string, Anthropic.MessageCreateParams['system'], unknown]>([
  ['a text', 'Be brief.', expect.stringMatching(/^Be brief\.[^]*<state_snapshot>/)],
  [
    'blocks',
    [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    [expect.objectContaining({ text: expect.stringContaining('Be brief.'), cache_control: { type: 'ephemeral' } })],
  ],
  ['absent', undefined, expect.stringContaining('<state_snapshot>')],
])('historyParams puts a summary at the end of a system prompt that is %s', async (_what, system, expected) => {
  const request = { ...requestOf(5), ...(system !== undefined && { system }) }
  const smaller = await historyParams(session, COMPRESS)(request)
  expect(smaller).toMatchObject({ system: expected })
  expect(JSON.stringify(smaller.messages)).not.toContain('call_1')
  expect(smaller.messages[0]).toBe(request.messages[0])
})

it('historyParams remembers its outcome for the messages, and requests no second summary', async () => {
  const asked = vi.fn<(request: SummaryRequest) => Promise<string>>(summarize)
  const keepSmall = historyParams(session, { ...COMPRESS, summarize: asked })
  const first = await keepSmall(requestOf(5))
  expect(await keepSmall(requestOf(5))).toEqual(first)
  expect(asked).toHaveBeenCalledTimes(1)
})

it('historyParams accepts a compactor that remembers a session between requests', async () => {
  const asked = vi.fn<(request: SummaryRequest) => Promise<string>>(summarize)
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const format = anthropicMessages<Anthropic.MessageParam>()
  const compactorOf = compactorOfRun(offloader, (id: string) => [id], { ...COMPRESS, summarize: asked, format })
  const first = await historyParams(compactorOf('session-1'))(requestOf(5))
  expect(await historyParams(compactorOf('session-1'))(requestOf(5))).toEqual(first)
  expect(asked).toHaveBeenCalledTimes(1)
})

it('historyParams stops a summary if the signal aborts, and leaves the messages unchanged', async () => {
  const controller = new AbortController()
  const hanging = ({ signal }: SummaryRequest): Promise<never> => {
    setImmediate(() => controller.abort())
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Aborted.'))))
  }
  const request = requestOf(5)
  const keepSmall = historyParams(session, { ...COMPRESS, summarize: hanging })
  expect(await keepSmall(request, { signal: controller.signal })).toBe(request)
})

it('historyParams rejects invalid arguments', async () => {
  const compactorOf = compactorOfRun(session, () => ['a'], { format: anthropicMessages<object>() })
  expect(() => historyParams({} as never)).toThrow(/historyParams\(offloader, options\)/)
  expect(() => historyParams(session, { limit: 1 } as never)).toThrow(/Unknown option "limit"/)
  expect(() => historyParams(compactorOf({}), { mode: 'compact' })).toThrow(/history's options to the compactor/)
  await expect(historyParams(session)({ messages: [{ role: 'nobody' }] })).rejects.toThrow(/messages\[0\]\.role/)
})
