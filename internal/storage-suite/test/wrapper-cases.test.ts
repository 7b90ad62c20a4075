import { conformanceCases } from '@spillway/core/conformance'
import { describe, expect, it } from 'vitest'
import { MEETS_BACKEND, meetsBackend, UNBREAKABLE, wrapperCanBreak } from '../src/wrapper-cases.ts'

const ids = conformanceCases.map(({ id }) => id)

describe('the choice of cases for a wrapped backend', () => {
  it.each(UNBREAKABLE)('has cases in the group in which $reason', ({ cases }) => {
    expect(ids.filter((id) => cases.test(id))).not.toEqual([])
  })

  it('names only existing cases that a wrapper can break', () => {
    expect(MEETS_BACKEND.filter((id) => !ids.includes(id) || !wrapperCanBreak(id))).toEqual([])
    expect(ids.filter(meetsBackend)).toHaveLength(MEETS_BACKEND.length)
  })

  it('includes the cases of content, entry info, and names', () => {
    for (const area of ['content/', 'stream/', 'range/', 'open/', 'metadata/', 'scope/', 'list/', 'corrupt/'])
      expect(ids.filter((id) => id.startsWith(area) && wrapperCanBreak(id))).not.toEqual([])
  })
})
