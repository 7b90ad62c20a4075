import { ContextOffloader, type OffloadEvent, StorageError } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, expect, it, vi } from 'vitest'
import { OffloadRun } from './offload-run.ts'
import { SmallTexts } from './small-texts.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const CALL = { toolName: 'read', toolCallId: 'call_1' }
const text = (value = LOG): { type: string; value: string } => ({ type: 'text', value })

let storage: InMemoryStorage
let offloader: ContextOffloader
let events: OffloadEvent[]
let run: OffloadRun

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
  run = new OffloadRun(offloader, new Set(['skipped']), new SmallTexts())
})

it('works through each result once, however often Mastra makes its output anew', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  const value = { rows: [1, 2, 3] }
  const image = { type: 'image-data', data: 'aGk=', mediaType: 'image/png' }
  const outputs = [
    () => text(),
    () => text('small'),
    () => ({ type: 'error-text', value: LOG }),
    () => ({ type: 'json', value }),
    () => ({ type: 'content', value: [{ type: 'text', text: LOG }, { ...image }] }),
    () => ({
      type: 'content',
      value: [
        { type: 'text', text: 'small' },
        { ...image, data: { type: 'data', data: 'aGk=' } },
      ],
    }),
  ]
  for (const output of outputs) {
    offload.mockClear()
    const shown = await run.show(CALL, output())
    expect(offload).toHaveBeenCalledTimes(1)
    for (const again of [output(), output()]) expect(run.find(CALL, again)).toEqual(shown)
    // What is shown comes back in later prompts.
    expect(run.find(CALL, { ...shown })).toEqual(shown)
    expect(await run.show(CALL, output())).toEqual(shown)
    expect(offload).toHaveBeenCalledTimes(1)
  }
})

it('gives a result that stays back as the very object, also later', async () => {
  const small = text('small')
  expect(await run.show(CALL, small)).toBe(small)
  const again = text('small')
  expect(run.find(CALL, again)).toBe(again)
})

it('keeps results apart that have equal ids, names or texts', async () => {
  const first = await run.show(CALL, text())
  expect(run.find(CALL, text(`${LOG}.`))).toBeUndefined()
  expect(run.find(CALL, { type: 'error-text', value: LOG })).toBeUndefined()
  expect(run.find({ ...CALL, toolCallId: 'call_2' }, text())).toBeUndefined()
  expect(run.find({ ...CALL, toolName: 'look' }, text())).toBeUndefined()
  const second = await run.show(CALL, text(`${LOG}.`))
  expect(second).not.toEqual(first)
  expect(run.find(CALL, text())).toEqual(first)
  expect(run.find(CALL, text(`${LOG}.`))).toEqual(second)
})

it.each(['__proto__', 'constructor', ''])('takes the id %j', async (toolCallId) => {
  const call = { ...CALL, toolCallId }
  expect(run.find(call, text())).toBeUndefined()
  const shown = await run.show(call, text())
  expect(run.find(call, text())).toEqual(shown)
})

it('knows small texts again in later runs, and nothing else', async () => {
  const small = new SmallTexts()
  const first = new OffloadRun(offloader, new Set(), small)
  for (const output of [text('small'), text(), { type: 'json', value: { a: 1 } }]) await first.show(CALL, output)
  const second = new OffloadRun(offloader, new Set(), small)
  const other = { ...CALL, toolCallId: 'call_2' }
  expect(second.isSettled(other, text('small'))).toBe(true)
  expect(second.find(other, text('small'))).toBeUndefined()
  for (const output of [text(), text('smaller'), { type: 'json', value: { a: 1 } }])
    expect(second.isSettled(CALL, output)).toBe(false)
})

it('does not ask about the tools that are left out', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  const output = text()
  expect(await run.show({ ...CALL, toolName: 'skipped' }, output)).toBe(output)
  expect(offload).not.toHaveBeenCalled()
})

it('tries again what could not be stored, once for each model call', async () => {
  const store = vi.spyOn(storage, 'store').mockRejectedValue(new StorageError('unavailable', 'The disk is gone.'))
  const failing = new OffloadRun(offloader, new Set(), new SmallTexts())
  const attempts = (): number => store.mock.calls.length
  await failing.show(CALL, text())
  await failing.show({ ...CALL, toolCallId: 'call_2' }, text('small'))
  expect(attempts()).toBe(1)
  failing.beginStep()
  await failing.show(CALL, text())
  failing.endPrompt()
  await failing.show(CALL, text())
  expect(attempts()).toBe(1)
  failing.beginStep()
  store.mockRestore()
  expect(await failing.show(CALL, text())).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) as string })
  expect(failing.find({ ...CALL, toolCallId: 'call_2' }, text('small'))).toBeDefined()
  expect(events.map(({ type }) => type)).toEqual(['offload-failed', 'offload'])
})

it('leaves results as they are once the signal of the run has fired', async () => {
  run.signal = AbortSignal.abort(new Error('enough'))
  const output = text()
  expect(await run.show(CALL, output)).toBe(output)
  expect(events.map(({ type }) => type)).toEqual(['offload-failed'])
})
