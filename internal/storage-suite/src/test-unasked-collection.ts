import type { Storage } from '@spillway/core'
import type { ConformanceHarness, ConformancePowers } from '@spillway/core/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const PIECE_BYTES = 3_000_000

interface Stored extends Pick<Required<ConformancePowers>, 'kill' | 'residue'> {
  readonly storage: Required<Storage>
  /** Advance the clock, and then store an existing entry again. */
  storeAfter(milliseconds: number): Promise<void>
}

/** Test that a storage collects leftovers without a call of `gc`. Its driver has `collectsHourly`. */
export function testUnaskedCollection(harness: ConformanceHarness): void {
  const begin = async (): Promise<Stored> => {
    const { storage, powers, dispose } = await harness.create({})
    if (dispose !== undefined) onTestFinished(dispose)
    const { kill, clock, residue } = powers as Required<ConformancePowers>
    const storeAfter = async (milliseconds: number): Promise<void> => {
      clock.advance(milliseconds)
      await storage.store('small', new Uint8Array(1))
    }
    await storeAfter(0)
    return { storage: storage as Required<Storage>, kill, residue, storeAfter }
  }

  describe('a storage that stores without gc', { timeout: 60_000 }, () => {
    it('removes the leftovers of a killed writer by the second hour', async () => {
      const { storage, kill, residue, storeAfter } = await begin()
      const before = await residue()
      const content = new Uint8Array(4 * PIECE_BYTES)
      await kill({ acknowledged: [], unfinished: { key: 'stream', contentType: 'text/plain', content } })
      expect(await residue()).toBeGreaterThan(before)
      await storeAfter(HOUR_MS)
      await storeAfter(HOUR_MS)
      await storage.close()
      expect(await residue()).toBe(before)
    })

    it.each([YEAR_MS, -YEAR_MS])('keeps files of a running writer if the clock is changed by %d ms', async (jump) => {
      const { storage, storeAfter } = await begin()
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(PIECE_BYTES)
        yield new Uint8Array(PIECE_BYTES)
        await storeAfter(jump)
        await storage.close()
        yield new Uint8Array(PIECE_BYTES)
      }
      const { content } = await storage.retrieve(await storage.storeStream('stream', chunks()))
      expect(content.byteLength).toBe(3 * PIECE_BYTES)
    })
  })
}
