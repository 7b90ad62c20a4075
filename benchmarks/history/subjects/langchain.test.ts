import { expect, test } from 'vitest'
import type { ChatMessage } from '../chat/chat-message.ts'
import { sampleTranscript } from '../test/sample-transcript.ts'
import { contextEditing } from './langchain.ts'
import { none } from './none.ts'

const cleared = (messages: readonly ChatMessage[]): boolean[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content === '[cleared]')

test('an agent that clears nothing sends the transcript unchanged, even if the user sends several messages', async () => {
  const { messages, ...rest } = sampleTranscript(3)
  const spoken = messages.toSpliced(6, 0, { role: 'user', content: 'Faster!' })
  const more: ChatMessage[] = [
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: 'Nothing.' },
    { role: 'assistant', content: 'Nothing at all.' },
  ]
  const transcript = { ...rest, messages: [...spoken, ...more] }
  const sent = await contextEditing('all', 1_000).replay(transcript)
  expect(sent.map((one) => one.messages)).toEqual((await none.replay(transcript)).map((one) => one.messages))
})

test('the last results stay, and cleared results stay cleared', async () => {
  const transcript = sampleTranscript(9)
  const sent = (await contextEditing('one', 1).replay(transcript)).map(({ messages }) => cleared(messages))
  const first = sent.findIndex((results) => results.includes(true))
  expect(sent[first]).toEqual([...Array.from({ length: first - 1 }, () => true), false])
  expect(sent[first + 1]).toEqual([...(sent[first] ?? []), false])
  expect(cleared((await contextEditing('three').compact(transcript.messages)).messages)).toEqual(
    Array.from({ length: 9 }, (_, index) => index < 6),
  )
})
