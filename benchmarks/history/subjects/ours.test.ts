import { expect, test } from 'vitest'
import { findLine } from '../measure/find-lines.ts'
import { sampleTranscript } from '../test/sample-transcript.ts'
import { compacting } from './ours.ts'

test('large results are stored under the names in the context, and can all be restored', async () => {
  const { messages, laterUses } = sampleTranscript(8)
  const sent = await compacting('as it is').compact(messages)
  expect(sent.reason).toBeUndefined()
  expect(sent.messages).not.toEqual(messages)
  expect(laterUses.map((use) => findLine(use, sent, 'result'))).toEqual(['stored'])
  expect(await sent.expand?.()).toEqual(messages)
})

test('a history that does not fit comes with the reasons', async () => {
  const { messages } = sampleTranscript(8)
  const text = messages.map(({ content }) => content).join('\n')
  const { reason } = await compacting('as it is').compact([{ role: 'user', content: text }, ...messages])
  expect(reason).toMatch(/^`not-tool-content` \d\d,\d{3}$/)
})
