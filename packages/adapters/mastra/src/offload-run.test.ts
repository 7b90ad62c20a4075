import { ContextOffloader, type OffloadEvent, StorageError } from '@spillway/core'
import { SmallTexts } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, expect, it, vi } from 'vitest'
import { OffloadRun } from './offload-run.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const CALL = { toolName: 'read', toolCallId: 'call_1' }
const text = (value = LOG): { type: string; value: string } => ({ type: 'text', value })

let storage: InMemoryStorage
let offloader: ContextOffloader
let events: OffloadEvent[]
let small: SmallTexts
let run: OffloadRun

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
  small = new SmallTexts()
  run = new OffloadRun(offloader, new Set(['skipped']), small)
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
    const shown = await run.show(CALL, {}, output())
    expect(offload).toHaveBeenCalledTimes(1)
    // What is known is shown at once, and what was shown comes back in later prompts.
    for (const again of [output(), output(), { ...shown }]) expect(run.show(CALL, {}, again)).toEqual(shown)
    expect(offload).toHaveBeenCalledTimes(1)
  }
})

it('gives a result that stays back as the very object, also later', async () => {
  const small = text('small')
  expect(await run.show(CALL, {}, small)).toBe(small)
  const again = text('small')
  expect(run.show(CALL, {}, again)).toBe(again)
})

it('tells the offloader the call, and what it was made with', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  await run.show(CALL, { path: 'a' }, { type: 'error-text', value: LOG })
  const told = { ...CALL, input: { path: 'a' }, isError: true }
  expect(offload).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(told))
})

it('keeps results apart that have equal ids or texts', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  const first = await run.show(CALL, {}, text())
  const second = await run.show(CALL, {}, text(`${LOG}.`))
  expect(second).not.toEqual(first)
  expect(await run.show(CALL, {}, { type: 'error-text', value: LOG })).toMatchObject({ type: 'error-text' })
  expect(await run.show({ ...CALL, toolCallId: 'call_2' }, {}, text())).not.toEqual(first)
  expect(offload).toHaveBeenCalledTimes(4)
  expect(run.show(CALL, {}, text())).toEqual(first)
  expect(run.show(CALL, {}, text(`${LOG}.`))).toEqual(second)
})

it.each(['__proto__', 'constructor', ''])('takes the id %j', async (toolCallId) => {
  const call = { ...CALL, toolCallId }
  const shown = await run.show(call, {}, text())
  expect(shown).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) as string })
  expect(run.show(call, {}, text())).toEqual(shown)
})

it('tells which texts are small', async () => {
  for (const output of [text('small'), text(), { type: 'json', value: { a: 1 } }]) await run.show(CALL, {}, output)
  expect(small.has('small')).toBe(true)
  expect(small.has(LOG)).toBe(false)
})

it('does not ask about the tools that are left out', async () => {
  const offload = vi.spyOn(offloader, 'offload')
  const output = text()
  expect(run.show({ ...CALL, toolName: 'skipped' }, {}, output)).toBe(output)
  expect(offload).not.toHaveBeenCalled()
})

it('tries again what could not be stored, once for each model call', async () => {
  const store = vi.spyOn(storage, 'store').mockRejectedValue(new StorageError('unavailable', 'The disk is gone.'))
  const attempts = (): number => store.mock.calls.length
  const output = text()
  for (let look = 0; look < 3; look += 1) expect(await run.show(CALL, {}, output)).toBe(output)
  await run.show({ ...CALL, toolCallId: 'call_2' }, {}, text('small'))
  expect(attempts()).toBe(1)
  // Between the answer of a tool and the next prompt, a step begins.
  run.beginStep()
  await run.show(CALL, {}, text())
  run.endPrompt()
  // A run may end here.
  await run.show(CALL, {}, text())
  expect(attempts()).toBe(1)
  run.beginStep()
  for (let look = 0; look < 3; look += 1) await run.show(CALL, {}, text())
  expect(attempts()).toBe(2)
  run.endPrompt()
  run.beginStep()
  store.mockRestore()
  expect(await run.show(CALL, {}, text())).toMatchObject({ value: expect.stringMatching(/^\[Offloaded/) as string })
  expect(run.show({ ...CALL, toolCallId: 'call_2' }, {}, text('small'))).toEqual(text('small'))
  expect(events.map(({ type }) => type)).toEqual(['offload-failed', 'offload-failed', 'offload'])
})

it('leaves results as they are once the signal of the run has fired', async () => {
  run.signal = AbortSignal.abort(new Error('enough'))
  const output = text()
  expect(await run.show(CALL, {}, output)).toBe(output)
  expect(events.map(({ type }) => type)).toEqual(['offload-failed'])
})
