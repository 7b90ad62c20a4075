import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseItems, type ItemChoice, type ItemRow } from './choose-items.ts'
import { textItem, type Item } from './preview-model.ts'

const GAP = 5
const NUMBER = 3

interface Line {
  readonly value: number
  readonly shown: number
  readonly hidden: number
  /** Distance in lines to the parent, or 0 if there is no parent. */
  readonly parent: number
}

interface Case {
  readonly row: ItemRow
  readonly shown: Float64Array
  readonly hidden: Float64Array
}

function caseOf(lines: readonly Line[]): Case {
  const items: Item[] = []
  for (const [index, { value, parent }] of lines.entries())
    items.push(textItem(index + 1, 'x', value, parent === 0 ? undefined : items[index - parent]))
  const parents = Int32Array.from(items, ({ parent }) => (parent === undefined ? -1 : items.indexOf(parent)))
  return {
    row: { items, parents, from: 1, lines: items.length, blankEnd: false },
    shown: Float64Array.from(lines, ({ shown }) => shown),
    hidden: Float64Array.from(lines, ({ hidden }) => hidden),
  }
}

const linesOf = (parents: readonly number[]): fc.Arbitrary<Line[]> =>
  fc.array(
    fc.record({
      value: fc.integer({ min: 0, max: 9 }),
      shown: fc.integer({ min: 1, max: 9 }),
      hidden: fc.constantFrom(0, 0, 0, 1),
      parent: fc.constantFrom(...parents),
    }),
    { minLength: 1, maxLength: 10 },
  )
const flat = linesOf([0]).map(caseOf)
const nested = linesOf([0, 0, 1, 1, 2]).map(caseOf)

function choose({ row, shown, hidden }: Case, tokens: number, shares: ItemChoice['shares'] = []): boolean[] {
  const choice = { tokens, gapTokens: GAP, numberTokens: NUMBER, shares, shown, hidden }
  return Array.from(chooseItems(row, choice), (one) => one === 1)
}

function costOf({ shown, hidden }: Case, chosen: readonly boolean[]): number {
  return chosen.reduce((sum, isShown, index) => {
    const wasShown = index === 0 || chosen[index - 1]!
    return sum + (isShown ? shown[index]! + (wasShown ? 0 : NUMBER) : hidden[index]! + (wasShown ? GAP : 0))
  }, 0)
}

const hasParents = ({ row }: Case, chosen: readonly boolean[]): boolean =>
  row.parents.every((parent, index) => !chosen[index]! || parent < 0 || chosen[parent]!)

const valueOf = ({ row }: Case, chosen: readonly boolean[]): number =>
  row.items.reduce((sum, { value }, index) => sum + (chosen[index]! ? value : 0), 0)

describe('the items chosen for a number of tokens', () => {
  it('have no more tokens than the budget, and include the items that they depend on', () => {
    fc.assert(
      fc.property(nested, fc.nat(80), fc.constantFrom([], [0.4], [0.2, 0.8]), (one, tokens, shares) => {
        const chosen = choose(one, tokens, shares)
        expect(hasParents(one, chosen)).toBe(true)
        if (chosen.includes(true)) expect(costOf(one, chosen)).toBeLessThanOrEqual(tokens)
      }),
    )
  })

  it.each([
    ['flat', flat],
    ['nested', nested],
  ])('have almost the value of the best choice: %s items', (_, cases) => {
    let reached = 0
    let best = 0
    fc.assert(
      fc.property(cases, fc.integer({ min: 20, max: 60 }), (one, tokens) => {
        const count = one.row.items.length
        let most = 0
        for (let bits = 0; bits < 2 ** count; bits++) {
          const choice = Array.from({ length: count }, (_, index) => ((bits >> index) & 1) === 1)
          if (costOf(one, choice) <= tokens && hasParents(one, choice)) most = Math.max(most, valueOf(one, choice))
        }
        best += most
        reached += valueOf(one, choose(one, tokens))
      }),
      { numRuns: 200, seed: 1 },
    )
    expect(reached / best).toBeGreaterThan(0.93)
  })

  it('are all items if there is space', () => {
    fc.assert(
      fc.property(nested, (one) => {
        const all = one.row.items.reduce((sum, { value }) => sum + value, 0)
        expect(valueOf(one, choose(one, 1_000))).toBe(all)
      }),
    )
  })

  it('include the best item of each part, even if it exceeds the share of the part', () => {
    const one = caseOf([2, 3, 90, 90, 90, 90].map((value) => ({ value, shown: 9, hidden: 0, parent: 0 })))
    for (const item of one.row.items.slice(2)) item.part = 1
    expect(choose(one, 40)).toEqual([false, false, true, true, true, false])
    expect(choose(one, 40, [0.1, 1])).toEqual([false, true, true, true, false, false])
  })

  it('are adjacent if all items have the same value', () => {
    const chosen = choose(caseOf(Array.from({ length: 40 }, () => ({ value: 1, shown: 4, hidden: 0, parent: 0 }))), 60)
    const starts = chosen.filter((one, index) => one && (index === 0 || !chosen[index - 1]!))
    expect(starts).toHaveLength(1)
  })
})
