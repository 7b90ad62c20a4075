import { FileStorage } from '@spillway/file'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseModel, diagnose } from './agent.ts'

it('the agent finds the error in a log of 20,000 lines offline, in a short conversation', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'example-deepagents-'))
  try {
    const { answer, notes, promptLength } = await diagnose(
      new FileStorage(directory),
      await chooseModel({}),
      'thread-1',
    )
    expect(answer).toContain('src/cart.ts line 42')
    expect(notes).toContain('TS2322')
    expect(promptLength).toBeLessThan(15_000)
  } finally {
    await rm(directory, { recursive: true })
  }
})
