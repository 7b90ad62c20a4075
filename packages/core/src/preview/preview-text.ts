import type { PreviewOptions } from './previewer.ts'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

/**
 * Preview a text within a budget of tokens: its first and last lines, the lines between that matter, and what is hidden.
 *
 * The result is empty where the budget allows nothing. For a text that does not fit in memory, push it through a
 * {@link TextScanner} instead.
 */
export function previewText(text: string, options: PreviewOptions): string {
  const scanner = new TextScanner()
  scanner.push(text)
  return renderTextPreview(scanner.finish(), options)
}
