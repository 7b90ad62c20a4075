import type { CountTokens } from '../tokens/count-tokens.ts'

/** What a preview is made with. */
export interface PreviewOptions {
  /** Tokens that the preview may have at most, by `countTokens`. */
  readonly budgetTokens: number
  readonly countTokens: CountTokens
  /** Whether the tool failed: an error's last lines are kept first. */
  readonly isError?: boolean | undefined
  /** Write the call that shows a span of lines, 1-based and inclusive; without it, gaps only say what they hide. */
  readonly showLines?: ((start: number, end: number) => string) | undefined
}
