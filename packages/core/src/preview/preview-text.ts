import type { PreviewOptions } from './previewer.ts'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

/**
 * Preview a text within a budget of tokens: its first and last lines, the lines between that matter, and what is hidden.
 *
 * The result is empty where the budget allows nothing, and never has more tokens than it. The same text and options give
 * the same preview.
 *
 * @example
 * ```ts
 * import { estimateTokens, previewText } from '@spillway/core'
 *
 * const lines = Array.from({ length: 5_000 }, (_, line) => (line === 3_210 ? 'Error: disk full' : `copied file ${line}`))
 * const preview = previewText(lines.join('\n'), { budgetTokens: 200, countTokens: estimateTokens })
 * console.assert(preview.includes('Error: disk full') && estimateTokens(preview) <= 200)
 * ```
 */
export function previewText(text: string, options: PreviewOptions): string {
  const scanner = new TextScanner()
  scanner.push(text)
  return renderTextPreview(scanner.finish(), options)
}
