import { yieldWhenDue } from '@spillway/text/internal'
import type { Caller, PreviewOptions } from '../previewer.ts'

/** Largest number of drafts for one preview. */
const ATTEMPTS = 6

/** A preview with about the requested number of tokens. */
export interface Draft {
  readonly text: string
  /** Whether everything is shown. More tokens would then change nothing. */
  readonly complete: boolean
}

/**
 * Returns the draft that is closest to the budget after a few attempts. The draft never exceeds the budget, and is
 * empty if no draft fits.
 *
 * @param write - Writes a draft of about `aim` estimated tokens.
 */
export function fitBudget(write: (aim: number) => Draft, options: PreviewOptions): string {
  const drafts = bestDrafts(write, options)
  let next = drafts.next()
  while (next.done !== true) next = drafts.next()
  return next.value
}

/** Like {@link fitBudget}, but other work can run between the attempts. */
export async function fitBudgetInTurns(
  write: (aim: number) => Draft,
  options: PreviewOptions & Caller,
): Promise<string> {
  const drafts = bestDrafts(write, options)
  for (;;) {
    await yieldWhenDue(options.caller)
    const next = drafts.next()
    if (next.done === true) return next.value
  }
}

function* bestDrafts(
  write: (aim: number) => Draft,
  { budgetTokens, countTokens }: PreviewOptions,
): Generator<undefined, string> {
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
    // If the same draft is returned again, the estimate is too inaccurate, so the aim shrinks in growing steps.
    if (tokens > budgetTokens && tokens === before) aim *= 1 - (step *= 2)
    before = tokens
    yield
    aim = Math.min(aim * 1.5, (aim * (budgetTokens * 0.99)) / Math.max(tokens, 1))
  }
  return best
}
