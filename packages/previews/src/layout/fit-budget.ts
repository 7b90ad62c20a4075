import type { PreviewOptions } from '../previewer.ts'

/** Times that a preview is written at most, to come close to the budget. */
const ATTEMPTS = 6

/** A preview written for about as many tokens as it was asked to have. */
export interface Draft {
  readonly text: string
  /** Whether it shows everything, so that more tokens would change nothing. */
  readonly complete: boolean
}

/**
 * Write a preview as close to the budget as a few attempts come, and never over it by `countTokens`.
 *
 * Returns an empty text where even the smallest draft is over the budget.
 *
 * @param write - Writes a draft of about `aim` tokens: by its own estimate, which this corrects.
 */
export function fitBudget(write: (aim: number) => Draft, { budgetTokens, countTokens }: PreviewOptions): string {
  let best = ''
  let bestTokens = 0
  let before = 0
  let step = 0.01
  let aim = budgetTokens
  for (let attempt = 0; attempt < ATTEMPTS && aim >= 1; attempt++) {
    const { text, complete } = write(aim)
    const tokens = countTokens(text)
    if (tokens <= budgetTokens) {
      if (tokens > bestTokens) {
        best = text
        bestTokens = tokens
      }
      if (complete || tokens >= budgetTokens * 0.975) break
    }
    // The same again: the estimate is off by more than the draft is over the budget.
    if (tokens > budgetTokens && tokens === before) aim *= 1 - (step *= 2)
    before = tokens
    aim = Math.min(aim * 1.5, (aim * (budgetTokens * 0.99)) / Math.max(tokens, 1))
  }
  return best
}
