import { describe, expect, it } from 'vitest'
import { joinGroups, type GroupEntry } from './groups.ts'

const ENTRIES: readonly GroupEntry[] = [
  { group: 'zebra', group_merged_into: 'middle' },
  { group: 'last', group_merged_into: 'zebra' },
  { group: 'middle' },
  { group: 'alone' },
  ...Array.from({ length: 16 }, (_, index) => ({ group: `project ${index}` })),
]
const NAMES = [...new Set(ENTRIES.map(({ group }) => group))]

describe('joinGroups', () => {
  it('joins groups that entries connect directly or through another group', () => {
    const find = joinGroups(ENTRIES)
    for (const name of ['zebra', 'middle', 'last']) expect(find(name)).toBe('last')
    expect(find('alone')).toBe('alone')
  })

  it('gives the same groups for any order of entries', () => {
    expect(NAMES.map(joinGroups(ENTRIES.toReversed()))).toEqual(NAMES.map(joinGroups(ENTRIES)))
  })

  it('throws if a group has no entries', () => {
    expect(() => joinGroups(ENTRIES)('missing')).toThrow('The data has no group missing.')
  })
})
