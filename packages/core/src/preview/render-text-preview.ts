import { PreviewLayout } from './preview-layout.ts'
import type { PreviewOptions } from './previewer.ts'
import type { TextScan } from './text-scan.ts'

/** Times that a preview is written at most, to come close to the budget. */
const ATTEMPTS = 6

/**
 * Write the preview of a scanned text: its first lines, its last lines, and the lines between that matter, each run of
 * lines with the number of its first and each gap with what it hides.
 *
 * `countTokens` of the result is at most `budgetTokens`: where that allows nothing, the result is empty. The same scan and
 * options always give the same preview.
 */
export function renderTextPreview(scan: TextScan, options: PreviewOptions): string {
  const { budgetTokens, countTokens } = options
  if (!(budgetTokens > 0) || scan.kept.length === 0) return ''
  const layout = new PreviewLayout(scan, options)
  let best = ''
  let bestTokens = 0
  let aim = budgetTokens
  for (let attempt = 0; attempt < ATTEMPTS && aim >= 1; attempt++) {
    const { text, complete } = layout.write(aim)
    const tokens = countTokens(text)
    if (tokens <= budgetTokens) {
      if (tokens > bestTokens) {
        best = text
        bestTokens = tokens
      }
      if (complete || tokens >= budgetTokens * 0.975) break
    }
    aim = Math.min(aim * 1.5, (aim * (budgetTokens * 0.99)) / Math.max(tokens, 1))
  }
  return best
}
