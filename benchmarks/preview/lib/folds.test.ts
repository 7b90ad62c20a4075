import { describe, expect, it } from 'vitest'
import { assignFolds, type GroupEntry } from './folds.ts'

const ENTRIES: readonly GroupEntry[] = [
  { group: 'zebra', group_merged_into: 'middle' },
  { group: 'last', group_merged_into: 'zebra' },
  { group: 'middle' },
  { group: 'alone' },
  ...Array.from({ length: 16 }, (_, index) => ({ group: `project ${index}` })),
]
const NAMES = [...new Set(ENTRIES.map(({ group }) => group))]

describe('folds', () => {
  it('join groups that entries connect, directly or through another group', () => {
    const find = assignFolds(ENTRIES)
    for (const name of ['zebra', 'middle', 'last'])
      expect(find(name)).toEqual({ group: 'last', fold: find('last').fold })
    expect(find('alone').group).toBe('alone')
  })

  it('are the same for the same seed, whatever the order of entries', () => {
    const [find, again, other] = [
      assignFolds(ENTRIES),
      assignFolds(ENTRIES.toReversed()),
      assignFolds(ENTRIES, { seed: 2 }),
    ]
    expect(NAMES.map(again)).toEqual(NAMES.map(find))
    expect(NAMES.map(other)).not.toEqual(NAMES.map(find))
  })

  it('have equal numbers of groups', () => {
    const find = assignFolds(ENTRIES, { folds: 6 })
    const groups = new Map(NAMES.map(find).map(({ group, fold }) => [group, fold]))
    const sizes = Map.groupBy(groups.values(), (fold) => fold)
    expect([...sizes.values()].map(({ length }) => length)).toEqual([3, 3, 3, 3, 3, 3])
  })

  it('are unknown for a group that no entry names', () => {
    expect(() => assignFolds(ENTRIES)('missing')).toThrow('The data has no group missing.')
  })
})
