import { ContextOffloader } from '@spillway/core'
import { aiSdkMessages, compactHistory } from '@spillway/history'
import { InMemoryStorage } from '@spillway/memory'
import type { ModelMessage } from 'ai'
import { expect, it } from 'vitest'
import { fakeModel, type FakeModel } from '../../test/fake-model.ts'
import { summarizeWith } from './summarize-with.ts'

const ANSWER =
  '<state_snapshot><overall_goal>Find it.</overall_goal><key_knowledge>It is in part 3.</key_knowledge></state_snapshot>'

/** Return the arguments of a call of the SDK's fake model. */
function callOf(model: FakeModel): Readonly<Record<string, unknown>> {
  const { doGenerateCalls } = model as unknown as { readonly doGenerateCalls: readonly Record<string, unknown>[] }
  expect(doGenerateCalls).toHaveLength(1)
  return doGenerateCalls[0]!
}

const request = (
  signal: AbortSignal = new AbortController().signal,
): Parameters<ReturnType<typeof summarizeWith>>[0] => ({
  prompt: 'Summarise this.',
  maxTokens: 700,
  messages: [],
  previousSnapshot: undefined,
  signal,
})

it('summarizeWith sends the prompt as a user message, with enough tokens for reasoning', async () => {
  const model = fakeModel(() => ({ text: ANSWER }))
  const { signal } = new AbortController()
  expect(await summarizeWith(model)(request(signal))).toBe(ANSWER)
  const call = callOf(model)
  expect(call['prompt']).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'Summarise this.' }] }])
  expect(call['maxOutputTokens']).toBe(8_700)
})

it('summarizeWith passes only given settings to the model', async () => {
  const model = fakeModel(() => ({ text: ANSWER }))
  const providerOptions = { fake: { effort: 'low' } }
  const settings = { maxOutputTokens: 900, temperature: 0, headers: undefined, providerOptions }
  await summarizeWith(model, settings)(request())
  expect(callOf(model)).toMatchObject({ maxOutputTokens: 900, temperature: 0, providerOptions })
})

it('summarizeWith rejects if the model rejects, and stops if the signal aborts', async () => {
  const failing = fakeModel(() => {
    throw new RangeError('Overloaded.')
  })
  await expect(summarizeWith(failing, { maxRetries: 0 })(request())).rejects.toThrow('Overloaded.')
  const model = fakeModel(() => ({ text: ANSWER }))
  await expect(summarizeWith(model, { maxRetries: 0 })(request(AbortSignal.abort()))).rejects.toThrow(/abort/i)
})

it('summarizeWith writes the summary of a history', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const messages = Array.from({ length: 100 }, (_, index): ModelMessage => {
    return { role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index} of a long conversation.` }
  })
  const options = { offloader, format: aiSdkMessages<ModelMessage>(), maxTotalTokens: 500 }
  const model = fakeModel(({ messages: asked }) => ({ text: asked.includes('Message 7 of') ? ANSWER : 'nothing' }))
  const outcome = await compactHistory(messages, { ...options, summarize: summarizeWith(model) })
  expect(outcome.fits).toBe(true)
  expect(outcome.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('It is in part 3.') })
})

it('summarizeWith rejects a value that is not a model', () => {
  expect(() => summarizeWith(undefined as never)).toThrow(/model must be a language model/)
})
