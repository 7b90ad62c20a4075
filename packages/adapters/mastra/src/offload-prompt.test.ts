import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, expect, it, vi } from 'vitest'
import { offloadPrompt } from './offload-prompt.ts'
import { OffloadRun } from './offload-run.ts'
import { SmallTexts } from './small-texts.ts'

type Prompt = Parameters<typeof offloadPrompt>[0]
type Message = Prompt[number]

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')

const call = (toolCallId: string, input: unknown = {}): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'read', input }],
})
const answer = (toolCallId: string, value: string, own: object = {}): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value }, ...own }],
})
const user: Message = { role: 'user', content: [{ type: 'text', text: LOG }] }
const system: Message = { role: 'system', content: LOG }

let offloader: ContextOffloader
let run: OffloadRun

beforeEach(() => {
  offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  run = new OffloadRun(offloader, new Set(), new SmallTexts())
})

it('replaces large results, and keeps every other message and field', async () => {
  const own = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
  const prompt = [system, user, call('call_1'), answer('call_1', LOG, own), call('call_2'), answer('call_2', 'small')]
  const before = structuredClone(prompt)
  const replaced = await offloadPrompt(prompt, run)
  expect(prompt).toEqual(before)
  for (const index of [0, 1, 2, 4]) expect(replaced[index]).toBe(prompt[index])
  const output = { type: 'text', value: expect.stringMatching(/^\[Offloaded: 1 block/) as string }
  expect(replaced[3]).toEqual({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read', output, ...own }],
  })
  expect(replaced[5]).toEqual(prompt[5])
})

it('gives a prompt back as the very object once all of it is known to stay', async () => {
  const prompt = [user, call('call_1'), answer('call_1', 'small')]
  await offloadPrompt(prompt, run)
  const again = structuredClone(prompt)
  expect(await offloadPrompt(again, run)).toBe(again)
  const none = [user]
  expect(await offloadPrompt(none, run)).toBe(none)
})

it('replaces a result with the same bytes in each prompt, and works through it once', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  const prompt = [user, call('call_1'), answer('call_1', LOG)]
  const first = await offloadPrompt(prompt, run)
  const second = await offloadPrompt([...structuredClone(prompt), call('call_2'), answer('call_2', 'small')], run)
  expect(second.slice(0, 3)).toEqual(first)
  expect(offload.mock.calls.map(([{ toolCallId }]) => toolCallId)).toEqual(['call_1', 'call_2'])
})

it('tells the offloader the input of the newest call with the id', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  await offloadPrompt([call('call_1', 'old'), user, call('call_1', { path: 'a' }), answer('call_1', LOG)], run)
  expect(offload).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ input: { path: 'a' }, toolName: 'read' }))
})

it('keeps results apart that have equal ids, in one prompt', async () => {
  const replaced = await offloadPrompt([answer('call_1', LOG), answer('call_1', `${LOG}.`), answer('call_1', 'a')], run)
  const shown = replaced.map((message) => JSON.stringify(message))
  expect(new Set(shown).size).toBe(3)
  expect(shown.map((one) => one.includes('[Offloaded: 1 block'))).toEqual([true, true, false])
})

it('leaves parts that are no results, and results in messages of the model', async () => {
  const approval = { type: 'tool-approval-response', approvalId: 'a', approved: true }
  const provided = { ...answer('call_1', LOG), role: 'assistant' } as Message
  const mixed = { role: 'tool', content: [approval] } as unknown as Message
  const prompt = [provided, mixed]
  expect(await offloadPrompt(prompt, run)).toBe(prompt)
})
