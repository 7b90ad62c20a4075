// The preview of @spillway/core with all its previewers, counted with o200k_base.
import { previewText } from '@spillway/previews'
import { countTokens } from './lib/tokens.mjs'

/** Input of a preview in the benchmark. `chars` is a size that the benchmark tries. */
export interface PreviewCase {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  readonly toolInput?: unknown
  readonly budgetTokens: number
  readonly chars?: number
}

export async function preview({ text, contentType, toolName, toolInput, budgetTokens }: PreviewCase): Promise<string> {
  return previewText(text, {
    contentType,
    toolName,
    input: toolInput,
    budgetTokens,
    countTokens,
    showLines: (start, end) => `line_range { start: ${start}, end: ${end} }`,
  })
}
