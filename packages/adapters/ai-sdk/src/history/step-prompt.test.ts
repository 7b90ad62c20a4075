import type { ModelMessage, SystemModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { joinPrompt, splitPrompt, type SystemPrompt } from './step-prompt.ts'

const user: ModelMessage = { role: 'user', content: 'Go.' }
const assistant: ModelMessage = { role: 'assistant', content: 'Done.' }
const brief: SystemModelMessage = { role: 'system', content: 'Be brief.' }
const cached: SystemModelMessage = { ...brief, providerOptions: { fake: { cached: true } } }

/** Take out all messages but the last, and append to the last of the system messages, as a summary does. */
function summarised(messages: readonly ModelMessage[]): ModelMessage[] {
  const systems = messages.filter((message) => message.role === 'system')
  const last = systems.at(-1)
  const made: SystemModelMessage =
    last === undefined ? { role: 'system', content: 'S' } : { ...last, content: `${last.content} S` }
  return [...systems.slice(0, -1), made, messages.at(-1)!]
}

describe('joinPrompt and splitPrompt', () => {
  it.each<[string, SystemPrompt | undefined, SystemPrompt]>([
    ['a text', 'Be brief.', 'Be brief. S'],
    ['an empty text', '', ' S'],
    ['a message', cached, { ...cached, content: 'Be brief. S' }],
    ['several messages', [brief, cached], [brief, { ...cached, content: 'Be brief. S' }]],
    ['an empty list', [], [{ role: 'system', content: 'S' }]],
    ['nothing', undefined, 'S'],
  ])('keep the form of a system prompt that is %s', (_what, prompt, expected) => {
    const before = joinPrompt(prompt, [user, assistant])
    expect(splitPrompt(prompt, before, summarised(before))).toEqual({ prompt: expected, messages: [assistant] })
  })

  it.each<[string, SystemPrompt | undefined]>([
    ['a text', 'Be brief.'],
    ['a message', cached],
    ['several messages', [brief, cached]],
    ['nothing', undefined],
  ])('leave a system prompt as the very same that is %s and has not changed', (_what, prompt) => {
    const before = joinPrompt(prompt, [user, assistant])
    const split = splitPrompt(prompt, before, before.toSpliced(-2, 1))
    expect(split.prompt).toBe(prompt)
    expect(split.messages).toEqual([assistant])
  })

  it('leave system messages of the conversation in it', () => {
    const before = joinPrompt(undefined, [brief, user, assistant])
    const split = splitPrompt(undefined, before, summarised(before))
    expect(split).toEqual({ prompt: undefined, messages: [{ role: 'system', content: 'Be brief. S' }, assistant] })
  })
})
