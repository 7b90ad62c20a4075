// The preview of @spillway/core, counted with o200k_base.
import { previewText } from '../../packages/core/src/preview/preview-text.ts'
import { countTokens } from './lib/tokens.mjs'

export function preview({ text, budgetTokens }: { text: string; budgetTokens: number }): string {
  return previewText(text, {
    budgetTokens,
    countTokens,
    showLines: (start, end) => `line_range { start: ${start}, end: ${end} }`,
  })
}
