// The preview of @spillway/core with every previewer that it ships, counted with o200k_base.
import { previewText } from '@spillway/previews'
import { countTokens } from './lib/tokens.mjs'

/** What a preview is made of, as the benchmark hands it over; `chars` is a size that it searches for. */
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
