import { checkedShares } from '../layout/checked-shares.ts'
import type { TextPreviewer, TextReader } from '../previewer.ts'
import { recognizeXml } from './recognize-xml.ts'
import { writeXml, type XmlPreviewShares } from './write-xml.ts'
import { XmlScanner } from './xml-scanner.ts'

/** Options of {@link xmlPreviewer}. */
export interface XmlPreviewerOptions {
  /** Each from 0 to 1, at most 1 together. Defaults to shape 0.3, elements 0.3, problems 0.4. */
  readonly shares?: Partial<XmlPreviewShares> | undefined
}

const SHARES: XmlPreviewShares = { shape: 0.3, elements: 0.3, problems: 0.4 }

/**
 * Preview a document of XML: which elements there are on which paths, how many, with their attributes and first values;
 * then the first and the last of the elements that it is a list of, each with its line. Failures in reports of tests and
 * checkers (JUnit, NUnit, xUnit.net, TRX, Checkstyle) come first.
 *
 * It reads XML as tools write it, also on one line, cut off or not well-formed. Memory is bounded, and time grows with the
 * length alone. Entities that a document declares are not expanded.
 *
 * @example
 * ```ts
 * import { previewText, xmlPreviewer } from '@spillway/previews'
 *
 * const urls = Array.from({ length: 500 }, (_, index) => `<url><loc>https://example.com/${index}</loc></url>`)
 * const sitemap = `<?xml version="1.0"?>\n<urlset>${urls.join('\n')}</urlset>`
 * const preview = await previewText(sitemap, { previewers: [xmlPreviewer()], budgetTokens: 200 })
 * console.assert(preview.includes('url ×500'))
 * ```
 */
export function xmlPreviewer(options: XmlPreviewerOptions = {}): TextPreviewer {
  const shares = checkedShares('shares', SHARES, options.shares)
  return { name: 'xml', previews: 'text', recognize: recognizeXml, read: () => readXml(shares) }
}

function readXml(shares: XmlPreviewShares): TextReader {
  const scanner = new XmlScanner()
  return {
    push: (text) => scanner.push(text),
    finish: () => {
      const scan = scanner.finish()
      // Tags that never end are something else, such as a log of them.
      if (scan.elements === 0 || (scan.elements > 8 && scanner.ends === 0)) return undefined
      return (options) => writeXml(scan, shares, options)
    },
  }
}
