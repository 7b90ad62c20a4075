import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseLines, type LineMarket } from './choose-lines.ts'

const GAP = 5

const markets = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 0, 0, 2)), {
    minLength: 1,
    maxLength: 10,
  })
  .map((lines): LineMarket => ({
    worth: Float32Array.from(lines, ([worth]) => worth),
    shown: Float32Array.from(lines, ([, shown]) => shown),
    hidden: Float32Array.from(lines, ([, , hidden]) => hidden),
    gap: GAP,
  }))

function cost({ shown, hidden }: LineMarket, chosen: readonly boolean[]): number {
  return chosen.reduce((sum, isShown, index) => {
    if (isShown) return sum + shown[index]!
    return sum + hidden[index]! + (index === 0 || chosen[index - 1]! ? GAP : 0)
  }, 0)
}

const worth = (market: LineMarket, chosen: readonly boolean[]): number =>
  chosen.reduce((sum, isShown, index) => sum + (isShown ? market.worth[index]! : 0), 0)

const isShown = (chosen: Uint8Array): boolean[] => Array.from(chosen, (one) => one === 1)

describe('the lines chosen for a number of tokens', () => {
  it('cost no more than that, unless hiding all does', () => {
    fc.assert(
      fc.property(markets, fc.nat(80), (market, tokens) => {
        const chosen = isShown(chooseLines(market, tokens))
        const least = cost(market, Array<boolean>(chosen.length).fill(false))
        if (chosen.includes(true)) expect(cost(market, chosen)).toBeLessThanOrEqual(tokens)
        else expect(least).toBeGreaterThan(0)
      }),
    )
  })

  it('are worth about as much as the best of all choices', () => {
    let reached = 0
    let best = 0
    fc.assert(
      fc.property(markets, fc.integer({ min: 20, max: 60 }), (market, tokens) => {
        const count = market.worth.length
        let most = 0
        for (let bits = 0; bits < 2 ** count; bits++) {
          const choice = Array.from({ length: count }, (_, index) => ((bits >> index) & 1) === 1)
          if (cost(market, choice) <= tokens) most = Math.max(most, worth(market, choice))
        }
        best += most
        reached += worth(market, isShown(chooseLines(market, tokens)))
      }),
      { numRuns: 200, seed: 1 },
    )
    expect(reached / best).toBeGreaterThan(0.93)
  })

  it('are all where there is room for all', () => {
    fc.assert(
      fc.property(markets, (market) => {
        const chosen = isShown(chooseLines(market, 1_000))
        expect(worth(market, chosen)).toBe(market.worth.reduce((sum, one) => sum + one, 0))
      }),
    )
  })

  it('stand together where single lines are worth the same', () => {
    const count = 40
    const market = {
      worth: new Float32Array(count).fill(1),
      shown: new Float32Array(count).fill(4),
      hidden: new Float32Array(count),
      gap: GAP,
    }
    const chosen = isShown(chooseLines(market, 60))
    const starts = chosen.filter((one, index) => one && (index === 0 || !chosen[index - 1]!))
    expect(starts).toHaveLength(1)
  })
})
