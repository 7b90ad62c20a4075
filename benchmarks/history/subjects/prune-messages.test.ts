import { expect, test } from 'vitest'
import { sampleTranscript } from '../test/sample-transcript.ts'
import { pruning } from './prune-messages.ts'

test('all calls and results are removed, except those in the last messages', async () => {
  const { messages } = sampleTranscript(3)
  const prompts = await pruning('one', 'before-last-message', false).replay(sampleTranscript(3))
  expect(prompts.at(-1)?.messages).toEqual([...messages.slice(0, 2), ...messages.slice(-3, -1)])
  const atEnd = await pruning('three', 'before-last-3-messages', false).compact(messages)
  expect(atEnd.messages).toEqual([...messages.slice(0, 2), ...messages.slice(-3)])
})

test('a trigger prevents pruning below it', async () => {
  const { messages } = sampleTranscript(3)
  const pruned = pruning('over', 'before-last-3-messages', true)
  expect((await pruned.compact(messages)).messages).toEqual(messages)
  const { messages: long } = sampleTranscript(9)
  expect((await pruned.compact(long)).messages).toHaveLength(5)
})
