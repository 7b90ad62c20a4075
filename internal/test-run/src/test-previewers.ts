import { isFull } from './test-run.ts'

interface Budget {
  readonly budgetTokens: number
  readonly countTokens: (text: string) => number
  readonly isError?: boolean | undefined
}

/** Shows the start and the end of any text. An error is previewed by lines. */
const ENDS = {
  name: 'ends',
  previews: 'text' as const,
  recognize: (): number => 0.97,
  read() {
    let text = ''
    return {
      push: (chunk: string): void => void (text += chunk),
      finish: () => (budget: Budget) => (budget.isError === true ? undefined : endsOf(text, budget)),
    }
  },
}

/**
 * Previewers for tests of code that only passes previews on. Core's previewers would take up to half of their time, so
 * only full runs have core's.
 */
export const testPreviewers: readonly (typeof ENDS)[] = isFull ? [] : [ENDS]

function endsOf(text: string, { budgetTokens, countTokens }: Budget): string {
  const units = Math.floor(budgetTokens / 4 / countTokens('ab'))
  return `${text.slice(0, units)} … ${text.slice(-units)}`
}
