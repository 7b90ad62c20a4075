import type { TextPreviewer } from '../previewer.ts'
import { renderTextPreview } from './render-text-preview.ts'
import { TextScanner } from './text-scanner.ts'

/**
 * Previews any text by its lines: the first, the last, and between them those that report failures, their causes, exit
 * codes and summaries. It reads what no other previewer recognizes.
 */
export const textPreviewer: TextPreviewer = {
  name: 'text',
  previews: 'text',
  recognize: () => 0.01,
  read: () => {
    const scanner = new TextScanner()
    return {
      push: (text) => scanner.push(text),
      finish: () => {
        const scan = scanner.finish()
        return (options) => renderTextPreview(scan, options)
      },
    }
  },
}
