import { MessageList, type MastraDBMessage } from '@mastra/core/agent'
import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import { ContextOffloader } from '@spillway/core'
import { SmallTexts } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, expect, it, vi } from 'vitest'
import { OffloadRun } from './offload-run.ts'
import { offloadStored } from './offload-stored.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')

function invocation(toolCallId: string, own: object): MastraToolInvocationPart {
  const toolInvocation = { toolCallId, toolName: 'read', args: { path: 'a' }, state: 'result', ...own }
  return { type: 'tool-invocation', toolInvocation: toolInvocation as MastraToolInvocationPart['toolInvocation'] }
}

function message(id: string, ...parts: MastraDBMessage['content']['parts']): MastraDBMessage {
  return {
    id,
    role: 'assistant',
    createdAt: new Date(0),
    threadId: 't',
    resourceId: 'u',
    content: { format: 2, parts },
  }
}

const parts = (list: MessageList): readonly unknown[] => list.get.all.db().flatMap(({ content }) => content.parts)

let offloader: ContextOffloader
let run: OffloadRun
let list: MessageList

beforeEach(() => {
  offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  run = new OffloadRun(offloader, new Set(), new SmallTexts())
  list = new MessageList({ threadId: 't', resourceId: 'u' })
})

it('puts replacements in the place of large results and errors of this run, and keeps all else', async () => {
  const small = invocation('call_2', { result: 'small' })
  const text = { type: 'text', text: LOG } as const
  const failed = invocation('call_3', { state: 'output-error', errorText: LOG })
  const open = invocation('call_4', { state: 'call' })
  list.add(
    message('m', { ...invocation('call_1', { result: LOG }), title: 'Read' }, small, text, failed, open),
    'response',
  )
  await offloadStored(list, run)
  const replacement = expect.stringMatching(/^\[Offloaded: 1 block/) as string
  expect(parts(list)).toMatchObject([
    { toolInvocation: { toolCallId: 'call_1', args: { path: 'a' }, result: replacement }, title: 'Read' },
    small,
    text,
    { toolInvocation: { state: 'output-error', errorText: replacement } },
    open,
  ])
})

it('changes nothing of a run whose results are small', async () => {
  list.add(message('m', invocation('call_1', { result: 'small' })), 'response')
  const before = parts(list)
  await offloadStored(list, run)
  expect(parts(list)).toEqual(before)
  for (const [index, part] of parts(list).entries()) expect(part).toBe(before[index])
})

it('leaves what the run was given: the history of memory, and messages of the program', async () => {
  const given = [
    message('m', invocation('call_1', { result: LOG })),
    message('i', invocation('call_2', { result: LOG })),
  ]
  list.add(given.slice(0, 1), 'memory').add(given.slice(1), 'input')
  const offload = vi.spyOn(offloader, 'offload')
  await offloadStored(list, run)
  expect(offload).not.toHaveBeenCalled()
  expect(parts(list)).toMatchObject([{ toolInvocation: { result: LOG } }, { toolInvocation: { result: LOG } }])
})

it('leaves what the provider has run', async () => {
  list.add(message('m', { ...invocation('call_1', { result: LOG }), providerExecuted: true }), 'response')
  await offloadStored(list, run)
  expect(parts(list)).toMatchObject([{ toolInvocation: { result: LOG } }])
})

it('works through each result once, however many steps follow', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  list.add(message('m', invocation('call_1', { result: LOG }), invocation('call_2', { result: { a: 1 } })), 'response')
  for (let step = 0; step < 5; step += 1) await offloadStored(list, run)
  expect(offload).toHaveBeenCalledTimes(2)
})

it('never writes the replacement of one call into another with an equal id', async () => {
  list.add(message('one', invocation('call_1', { result: LOG })), 'response')
  list.add({ ...message('two', invocation('call_1', { result: 'small' })), createdAt: new Date(1) }, 'response')
  await offloadStored(list, run)
  const results = parts(list).map((part) => (part as MastraToolInvocationPart).toolInvocation.result)
  expect(results.at(-1)).toBe('small')
})
