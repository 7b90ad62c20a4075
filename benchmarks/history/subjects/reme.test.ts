import { expect, test } from 'vitest'
import { sampleTranscript } from '../test/sample-transcript.ts'
import { reme } from './reme.ts'

test('large results become a path if results before the last message exceed 20,000 tokens', async () => {
  const { messages } = sampleTranscript(6)
  const { messages: left, stored } = await reme.compact(messages)
  expect(left).toHaveLength(messages.length)
  const first = messages[3]
  expect(left[3]).toEqual({
    ...first,
    content: `${first?.content?.slice(0, 100)}... (detailed result is stored in /context_store/call_0.txt)`,
  })
  expect(stored.get('/context_store/call_0.txt')).toBe(first?.content)
  expect(stored.size).toBe(6)
  expect(left.filter(({ role }) => role !== 'tool')).toEqual(messages.filter(({ role }) => role !== 'tool'))
})

test('the last message stays and does not count', async () => {
  const { messages } = sampleTranscript(6)
  const cut = messages.slice(0, -1)
  expect((await reme.compact(cut)).messages).toEqual(cut)
  expect((await reme.compact(messages)).messages).not.toEqual(messages)
})
