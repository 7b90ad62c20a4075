import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { makeDataFolder } from '../test/data-folder.ts'
import { sampleTranscript } from '../test/sample-transcript.ts'
import { readTranscripts } from './read-transcripts.ts'
import { modelCalls } from './transcript.ts'

test('a data folder is read into messages, model calls, and lines with the places of their use', async () => {
  const folder = await makeDataFolder()
  const [transcript] = readTranscripts(folder)
  expect(transcript).toEqual({ ...sampleTranscript(8), id: 'tau-bench/sample' })
  expect(modelCalls(sampleTranscript(2))).toEqual([2, 4, 6])
  await rm(folder, { recursive: true })
})

test('a session that starts with a result is read without that result and its lines', async () => {
  const folder = await makeDataFolder({ cutOff: 3 })
  const [transcript] = readTranscripts(folder)
  expect(transcript?.messages).toEqual(sampleTranscript(8).messages.slice(4))
  expect(transcript?.laterUses).toEqual([])
  await rm(folder, { recursive: true })
})

test('a result whose length differs from the recorded length causes an error', async () => {
  const folder = await makeDataFolder({ lengthOfFirstResult: 1 })
  expect(() => readTranscripts(folder)).toThrow(/tau-bench\/sample step 3: a result of \d+ characters, not 1/)
  await rm(folder, { recursive: true })
})
