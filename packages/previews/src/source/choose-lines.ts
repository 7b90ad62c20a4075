/** What the lines of a text are worth and what they cost. */
export interface LineMarket {
  /** Worth of showing each line. */
  readonly worth: Float32Array
  /** Tokens of each line where it is shown. */
  readonly shown: Float32Array
  /** Tokens of each line where it is hidden: of the name that it defines, in the outline; mostly 0. */
  readonly hidden: Float32Array
  /** Tokens of the mark of a gap and of the line number after it. */
  readonly gap: number
}

/** The price of a token that is looked for lies between these; each round halves the distance of their logarithms. */
const LEAST_PRICE = 1e-4
const MOST_PRICE = 100
const ROUNDS = 14

/**
 * Choose the lines worth most for a number of tokens, in runs, as each gap between two costs tokens as well.
 *
 * For a price of a token, the best choice is found in one pass; the price is raised until the choice fits. Returns 1 for
 * each line that is shown.
 */
export function chooseLines(market: LineMarket, tokens: number): Uint8Array {
  const free = chosenAt(market, 0)
  if (costOf(market, free) <= tokens) return free
  let low = LEAST_PRICE
  let high = MOST_PRICE
  let best = new Uint8Array(market.worth.length)
  let larger = free
  let bestCost = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const price = Math.sqrt(low * high)
    const chosen = chosenAt(market, price)
    const cost = costOf(market, chosen)
    if (cost > tokens) {
      low = price
      larger = chosen
    } else {
      high = price
      best = chosen
      bestCost = cost
    }
  }
  if (bestCost < Infinity) fill(market, best, larger, tokens - bestCost)
  return best
}

/** The choice that is best at a price: of two states, a line shown and a line hidden, the way worth most through all. */
function chosenAt({ worth, shown, hidden, gap }: LineMarket, price: number): Uint8Array<ArrayBuffer> {
  const lines = worth.length
  // Whether the best way to each state of a line comes from the line before it shown.
  const fromShown = new Uint8Array(2 * lines)
  let kept = 0
  let away = -Infinity
  for (let index = 0; index < lines; index++) {
    const leave = kept - price * gap
    fromShown[2 * index] = kept >= away ? 1 : 0
    fromShown[2 * index + 1] = leave > away ? 1 : 0
    const value = worth[index]! - price * shown[index]!
    const passed = -price * hidden[index]!
    const nextIn = Math.max(kept, away) + value
    away = Math.max(leave, away) + passed
    kept = nextIn
  }
  const chosen = new Uint8Array(lines)
  let isShown = kept >= away
  for (let index = lines - 1; index >= 0; index--) {
    if (isShown) chosen[index] = 1
    isShown = fromShown[isShown ? 2 * index : 2 * index + 1] === 1
  }
  return chosen
}

function costOf({ shown, hidden, gap }: LineMarket, chosen: Uint8Array): number {
  let cost = 0
  for (let index = 0; index < chosen.length; index++) {
    if (chosen[index] === 1) cost += shown[index]!
    else cost += hidden[index]! + (index === 0 || chosen[index - 1] === 1 ? gap : 0)
  }
  return cost
}

/** Add lines of a larger choice as far as there is room, those first that stand beside lines that are shown. */
function fill({ shown, hidden, gap }: LineMarket, chosen: Uint8Array, larger: Uint8Array, room: number): void {
  let left = room
  for (let index = 0; index < chosen.length; index++) {
    if (chosen[index] === 1 || larger[index] === 0) continue
    const starts = index > 0 && chosen[index - 1] === 0
    const joins = index + 1 === chosen.length || chosen[index + 1] === 1
    const cost = shown[index]! - hidden[index]! + (starts ? gap : 0) - (joins ? gap : 0)
    if (cost > left) continue
    chosen[index] = 1
    left -= cost
  }
}
