import { InMemoryStorage } from '@spillway/memory'
import { expect, test } from 'vitest'
import { trialStorage } from './compact-transcript.ts'

const bytes = new TextEncoder().encode('content')

test.each([[undefined], [['tenant', 'session']]])(
  'a dry compaction uses the references of the store in scope %j, and stores nothing',
  async (scope) => {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const real = scope === undefined ? storage : storage.scope(...scope)
    const trial = trialStorage(real, scope)
    const reference = await trial.store('call_1_0', bytes, 'text/plain', { metadata: { tool: 'read' } })
    await expect(real.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await real.store('call_1_0', bytes, 'text/plain')).toBe(reference)
    expect((await trial.retrieve(reference)).content).toEqual(bytes)
    expect(await trial.stat?.(reference)).toMatchObject({ reference, size: 7 })
    await trial.delete?.(reference)
    expect((await real.retrieve(reference)).content).toEqual(bytes)
  },
)
