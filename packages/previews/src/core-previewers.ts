import { atMost } from './choose-previewers.ts'
import { jsonPreviewer, ndjsonPreviewer } from './json/json-previewer.ts'
import { listingPreviewer } from './listing/listing-previewer.ts'
import { logPreviewer } from './log/log-previewer.ts'
import { mediaPreviewer } from './media/media-previewer.ts'
import { diffPreviewer } from './diff/diff-previewer.ts'
import { markdownPreviewer } from './markdown/markdown-previewer.ts'
import { htmlPreviewer } from './html/html-previewer.ts'
import { xmlPreviewer } from './markup/xml-previewer.ts'
import type { Previewer, TextPreviewer } from './previewer.ts'
import { prosePreviewer } from './prose/prose-previewer.ts'
import { sourcePreviewer } from './source/source-previewer.ts'
import { tablePreviewer } from './table/table-previewer.ts'
import type { TreeSitter } from './code/load-grammar.ts'
import type { PdfPeer } from './pdf/read-pages.ts'
import { recognizePdf } from './pdf/recognize-pdf.ts'
import { MissingPeerError, importInstalled, locateInstalled } from './preview-fallback.ts'
import type { Outliner } from './source/outline.ts'

/** Previewers that need a library, which is loaded on first use. If it is not installed, they recognize nothing. */
export const installedPreviewers: readonly Previewer[] = [
  installedCode(),
  {
    name: 'pdf',
    previews: 'media',
    // The confidence is halved, so that the user's own previewer is used first.
    recognize: (subject) => ifInstalled('unpdf', recognizePdf(subject) / 2),
    read: async (data, subject) => {
      const { DEFAULT_LIMITS, readPdf } = await import('./pdf/read-pdf.ts')
      return readPdf(data, subject, DEFAULT_LIMITS, () => importInstalled<PdfPeer>('unpdf'))
    },
  },
]

function installedCode(): TextPreviewer {
  let outliner: Promise<Outliner> | undefined
  const outline: Outliner = async (text, language, caller) => {
    try {
      const outlineBy = await (outliner ??= loadOutliner())
      return await outlineBy(text, language, caller)
    } catch (error) {
      // If the parser is installed without its grammars, patterns outline the code instead.
      if (error instanceof MissingPeerError) return undefined
      throw error
    }
  }
  const source = sourcePreviewer(outline)
  const recognize: TextPreviewer['recognize'] = (subject) => ifInstalled('web-tree-sitter', source.recognize(subject))
  return atMost(0.92, { ...source, name: 'code', recognize })
}

async function loadOutliner(): Promise<Outliner> {
  const [{ GrammarLoader }, { outlineByGrammars }] = await Promise.all([
    import('./code/load-grammar.ts'),
    import('./code/outline-by-grammars.ts'),
  ])
  return outlineByGrammars(new GrammarLoader(locateInstalled, () => importInstalled<TreeSitter>('web-tree-sitter')))
}

const found = new Map<string, boolean>()

/** Return the confidence, or 0 if the library is not installed. The installation is checked only once. */
function ifInstalled(peer: string, sureness: number): number {
  if (sureness === 0) return 0
  let isFound = found.get(peer)
  if (isFound === undefined) {
    isFound = locateInstalled(peer) !== undefined
    found.set(peer, isFound)
  }
  return isFound ? sureness : 0
}

/** The built-in previewers. Of several previewers with the same confidence, the first is used. */
export const corePreviewers: readonly Previewer[] = [
  atMost(0.92, logPreviewer()),
  atMost(0.95, jsonPreviewer()),
  atMost(0.95, ndjsonPreviewer()),
  atMost(0.92, tablePreviewer()),
  atMost(0.92, listingPreviewer()),
  atMost(0.93, diffPreviewer()),
  atMost(0.85, markdownPreviewer()),
  atMost(0.6, prosePreviewer()),
  atMost(0.93, htmlPreviewer()),
  atMost(0.94, xmlPreviewer()),
  mediaPreviewer(),
  // These previewers are before the previewer of source code, because they have the same confidence.
  ...installedPreviewers,
  atMost(0.92, sourcePreviewer()),
]
