import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { GenkitError, ToolInterruptError, type ToolResponsePart } from 'genkit'
import { expect, it } from 'vitest'
import { offloadCall } from './offload-call.ts'

const LOG = 'a line of a log\n'.repeat(5_000)
const offloaded = expect.stringMatching(/^\[Offloaded: /)
const request = { toolRequest: { name: 'read_log', ref: 'call_1', input: { path: '/a' } } }

const call = (
  called: Promise<ToolResponsePart | undefined>,
  signal?: AbortSignal,
): Promise<ToolResponsePart | undefined> =>
  offloadCall(new ContextOffloader({ storage: new InMemoryStorage() }), request, signal, called)

/** What a call throws whose tool throws this. */
const throwing = async (thrown: unknown, signal?: AbortSignal): Promise<unknown> =>
  call(Promise.reject(thrown), signal).then(
    () => expect.fail('The call does not throw.'),
    (error: unknown) => error,
  )

it('offloads the response of a tool', async () => {
  const part = await call(Promise.resolve({ toolResponse: { name: 'read_log', ref: 'call_1', output: LOG } }))
  expect(part?.toolResponse.output).toEqual(offloaded)
})

it.each([undefined, { text: LOG }])('leaves it to Genkit where middleware gives no response: %#', async (part) => {
  expect(await call(Promise.resolve(part as ToolResponsePart | undefined))).toBe(part)
})

it.each([new RangeError('small'), 'small', { code: 404 }, undefined, null])('throws the very %o', async (thrown) => {
  expect(await throwing(thrown)).toBe(thrown)
})

it('throws an error of the same class where it is large, the original as its cause', async () => {
  const error = Object.assign(new RangeError(LOG), { code: 'E1' })
  const thrown = await throwing(error)
  expect(thrown).toBeInstanceOf(RangeError)
  expect(thrown).toMatchObject({ message: offloaded, code: 'E1', cause: error })
})

it('leaves no large message in an error of Genkit, which has it twice', async () => {
  const error = new GenkitError({ status: 'NOT_FOUND', message: LOG, detail: { path: '/a' } })
  const thrown = await throwing(error)
  expect(thrown).toBeInstanceOf(GenkitError)
  expect(thrown).toMatchObject({ message: offloaded, originalMessage: offloaded, status: 'NOT_FOUND', code: 404 })
  expect(JSON.stringify((thrown as GenkitError).toJSON()).length).toBeLessThan(10_000)
  expect(error.originalMessage).toBe(LOG)
})

it.each([
  new ToolInterruptError({ question: LOG }),
  Object.assign(new Error(LOG), { name: 'ToolInterruptError' }),
  new DOMException(LOG, 'AbortError'),
])('passes on what is no error of a tool: %o', async (signal) => {
  expect(await throwing(signal)).toBe(signal)
})

it('passes on what a tool throws once the run is aborted', async () => {
  const error = new Error(LOG)
  expect(await throwing(error, AbortSignal.abort())).toBe(error)
})
