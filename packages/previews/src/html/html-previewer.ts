import { checkedShares } from '../layout/checked-shares.ts'
import { recognizeHtml } from '../markup/recognize-html.ts'
import { importPeer } from '../preview-fallback.ts'
import type { TextPreviewer, TextReader } from '../previewer.ts'
import type { HtmlPreviewShares } from '../markup/html-shares.ts'
import { mainContent } from './main-content.ts'
import { readPage } from './page-reader.ts'
import { writePage } from '../markup/write-page.ts'

/** Options of {@link htmlPreviewer}. */
export interface HtmlPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to text 0.9, outline 0.1. */
  readonly shares?: Partial<HtmlPreviewShares> | undefined
  /** UTF-16 units of the longest page that is read; longer ones go to the next previewer. Defaults to 33,554,432. */
  readonly maxLength?: number | undefined
}

const SHARES: HtmlPreviewShares = { text: 0.9, outline: 0.1 }
const MAX_LENGTH = 33_554_432

/**
 * Preview a page of HTML: its title, and its main content as Markdown from the beginning, without navigation, footers and
 * other things that stand around it. What does not fit is declared, with the headings in it and their lines.
 *
 * It needs the optional peer `htmlparser2`: without it, the text without tags takes its place, and an event says so.
 * Links are shown by their text; the page as stored has their addresses. Pages without any text, such as those that
 * scripts write, are left to the next previewer.
 *
 * @example
 * ```ts
 * import { previewText } from '@spillway/previews'
 * import { htmlPreviewer } from '@spillway/previews/html'
 *
 * const paragraphs = Array.from({ length: 200 }, (_, index) => `<p>In year ${index} the <b>engine</b> got wheels.</p>`)
 * const page = `<!doctype html><title>Engines</title><nav><a href="/">Home</a></nav><main>${paragraphs.join('')}</main>`
 * const preview = await previewText(page, { previewers: [htmlPreviewer()], budgetTokens: 200 })
 * console.assert(preview.includes('In year 0 the engine got wheels.') && !preview.includes('Home'))
 * ```
 */
export function htmlPreviewer(options: HtmlPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  const { maxLength = MAX_LENGTH } = options
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    throw new TypeError(`maxLength must be a whole number of at least 1, got ${String(maxLength)}.`)
  }
  return { name: 'html', previews: 'text', recognize: recognizeHtml, maxLength, read: () => readHtml(shares) }
}

function readHtml(shares: HtmlPreviewShares): TextReader {
  const pieces: string[] = []
  return {
    push: (text) => void pieces.push(text),
    finish: async () => {
      const { Tokenizer } = await importPeer('htmlparser2', () => import('htmlparser2'))
      const page = readPage(pieces.join(''), Tokenizer)
      pieces.length = 0
      const main = mainContent(page)
      if (main.length === 0) return undefined
      const { title, lines, isPart } = page
      return (options) => writePage({ title, main, what: 'main text', lines, isPart }, shares, options)
    },
  }
}
