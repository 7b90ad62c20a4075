import type { ConformanceHarness } from '@spillway/core/conformance'
import { InMemoryStorage } from '../src/index.ts'

/** Connects the conformance suite to the storage of this package. */
export const memoryHarness: ConformanceHarness = {
  name: '@spillway/memory',
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 120_000,
  async create(settings) {
    let now = Date.UTC(2026, 0, 1)
    const clock = { now: () => now, advance: (milliseconds: number) => void (now += milliseconds) }
    const storage = new InMemoryStorage({ evictAfterTurns: null, ...settings, now: clock.now })
    return { storage, powers: { clock, maxTombstones: 1_000 }, dispose: () => storage.close() }
  },
  missingPowers: {
    reopen: 'content lives only as long as the storage',
    outage: 'there is no backend that could fail',
    residue: 'the process keeps no records outside its memory',
    plant: 'there is nothing outside the storage that it could reach',
    kill: 'content ends with the process',
    damage: 'content cannot be reached from outside',
  },
}
