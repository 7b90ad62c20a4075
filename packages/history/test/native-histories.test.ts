import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nativeHistories } from './native-histories.ts'
import { FORMAT_NAMES, validateHistory } from './validate-history.ts'

describe.each(FORMAT_NAMES)('generated histories of %s', (format) => {
  it('are valid', () => {
    fc.assert(
      fc.property(nativeHistories(format), (conversation) => {
        expect(validateHistory(format, conversation)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('are invalid if calls or results are missing', () => {
    const samples = fc.sample(nativeHistories(format, { orphans: true }), { numRuns: 200, seed: 1 })
    const invalid = samples.filter((conversation) => validateHistory(format, conversation).length > 0)
    expect(invalid.length).toBeGreaterThan(50)
  })
})
