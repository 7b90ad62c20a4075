import { LineCounter } from '../layout/line-counter.ts'
import { checkedShares } from '../layout/checked-shares.ts'
import type { TextPreviewer, TextReader } from '../previewer.ts'
import { HtmlTextReader } from './html-text-reader.ts'
import type { HtmlPreviewShares } from './html-shares.ts'
import { recognizeHtml } from './recognize-html.ts'
import { writePage } from './write-page.ts'

/** Options of {@link htmlTextPreviewer}. */
export interface HtmlTextPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to text 0.8, outline 0.2. */
  readonly shares?: Partial<HtmlPreviewShares> | undefined
}

const SHARES: HtmlPreviewShares = { text: 0.8, outline: 0.2 }

/**
 * Preview a page of HTML by its text: the title, and what stands between the tags in order, without scripts, styles,
 * navigation and footer; of what does not fit the headings with their lines.
 *
 * It needs no other package, and does not tell main content from what stands around it: `htmlPreviewer` of
 * `@spillway/previews/html` does, and comes before it where it is given.
 *
 * @example
 * ```ts
 * import { htmlTextPreviewer, previewText } from '@spillway/previews'
 *
 * const parts = Array.from({ length: 90 }, (_, index) => `<h2>Part ${index}</h2><p>What part ${index} &amp; others say.</p>`)
 * const page = `<!doctype html><title>Report</title>${parts.join('\n')}`
 * const preview = await previewText(page, { previewers: [htmlTextPreviewer()], budgetTokens: 300 })
 * console.assert(preview.includes('What part 0 & others say.') && preview.includes('more characters'))
 * ```
 */
export function htmlTextPreviewer(options: HtmlTextPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return {
    name: 'html-text',
    previews: 'text',
    // The preview by main content is the better one wherever there is one.
    recognize: (subject) => recognizeHtml(subject) * 0.95,
    read: () => readHtmlText(shares),
  }
}

function readHtmlText(shares: HtmlPreviewShares): TextReader {
  const reader = new HtmlTextReader()
  const counter = new LineCounter()
  return {
    push: (text) => {
      reader.push(text)
      counter.push(text)
    },
    finish: () => {
      const { title, blocks, lines, isPart } = reader.finish(counter.lines)
      if (blocks.length === 0) return undefined
      return (options) => writePage({ title, main: blocks, what: 'text', lines, isPart }, shares, options)
    },
  }
}
