import type { PreviewOptions } from './previewer.ts'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

/**
 * Preview a text within a budget of tokens: its first and last lines, the lines between that matter, and what is hidden.
 *
 * The result is empty where the budget allows nothing, and never has more tokens by `countTokens` than the budget. The same
 * text and options always give the same preview.
 *
 * @example
 * ```ts
 * import { estimateTokens, previewText } from '@spillway/core'
 *
 * const steps = Array.from({ length: 5_000 }, (_, index) => `step ${index} done`)
 * steps[2_500] = 'src/main.c:12:5: error: expected ;'
 * const preview = previewText(steps.join('\n'), { budgetTokens: 200, countTokens: estimateTokens })
 * console.assert(preview.includes('error: expected ;'))
 * console.assert(estimateTokens(preview) <= 200)
 * ```
 */
export function previewText(text: string, options: PreviewOptions): string {
  const scanner = new TextScanner()
  scanner.push(text)
  return renderTextPreview(scanner.finish(), options)
}
