import { fitBudget } from '../layout/fit-budget.ts'
import type { PreviewOptions } from '../previewer.ts'
import { PreviewLayout } from './preview-layout.ts'
import type { TextScan } from './text-scan.ts'

/** What else is known of a scanned text. */
export interface TextPreviewHints {
  /** Whether it surely is the output of a program. */
  readonly isLog?: boolean
}

/**
 * Write the preview of a scanned text: its first lines, its last lines, and the lines between that matter, each run of
 * lines with the number of its first and each gap with what it hides.
 *
 * `countTokens` of the result is at most `budgetTokens`: where that allows nothing, the result is empty. The same scan and
 * options always give the same preview.
 */
export function renderTextPreview(
  scan: TextScan,
  options: PreviewOptions,
  { isLog = false }: TextPreviewHints = {},
): string {
  if (!(options.budgetTokens > 0) || scan.kept.length === 0) return ''
  const layout = new PreviewLayout(scan, options, isLog)
  const preview = fitBudget((aim) => layout.write(aim), options)
  if (preview !== '') return preview
  return options.countTokens(layout.header) <= options.budgetTokens ? layout.header : ''
}
