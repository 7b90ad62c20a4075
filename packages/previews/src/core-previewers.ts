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

/** Previewers that need a library, which is loaded on first use. Without it, they recognize nothing. */
export const installedPreviewers: readonly Previewer[] = [
  installedCode(),
  {
    name: 'pdf',
    previews: 'media',
    // A user's own previewer comes first.
    recognize: (subject) => ifInstalled('unpdf', recognizePdf(subject) / 2),
    read: async (data, subject) => {
      const { DEFAULT_LIMITS, readPdf } = await import('./pdf/read-pdf.ts')
      return readPdf(data, subject, DEFAULT_LIMITS, () => importInstalled<PdfPeer>('unpdf'))
    },
  },
]

function installedCode(): TextPreviewer {
  let outliner: Promise<Outliner> | undefined
  const outline: Outliner = async (text, language) => {
    try {
      return await (
        await (outliner ??= loadOutliner())
      )(text, language)
    } catch (error) {
      // The parser is installed without its grammars: patterns outline the code.
      if (error instanceof MissingPeerError) return undefined
      throw error
    }
  }
  const source = sourcePreviewer({ outline })
  const recognize: TextPreviewer['recognize'] = (subject) => ifInstalled('web-tree-sitter', source.recognize(subject))
  return { ...source, name: 'code', recognize }
}

async function loadOutliner(): Promise<Outliner> {
  const [{ GrammarLoader }, { outlineByGrammars }] = await Promise.all([
    import('./code/load-grammar.ts'),
    import('./code/outline-by-grammars.ts'),
  ])
  return outlineByGrammars(new GrammarLoader(locateInstalled, () => importInstalled<TreeSitter>('web-tree-sitter')))
}

const found = new Map<string, boolean>()

/** Returns the confidence if the library is installed, which is checked once. */
function ifInstalled(peer: string, sureness: number): number {
  if (sureness === 0) return 0
  let isFound = found.get(peer)
  if (isFound === undefined) {
    isFound = locateInstalled(peer) !== undefined
    found.set(peer, isFound)
  }
  return isFound ? sureness : 0
}

/** List the built-in previewers. Between equal confidences, the first previewer is used. */
export const corePreviewers: readonly Previewer[] = [
  logPreviewer(),
  jsonPreviewer(),
  ndjsonPreviewer(),
  tablePreviewer(),
  listingPreviewer(),
  diffPreviewer(),
  markdownPreviewer(),
  prosePreviewer(),
  htmlPreviewer(),
  xmlPreviewer(),
  mediaPreviewer(),
  // This is before the previewer of source code, which has the same confidence.
  ...installedPreviewers,
  sourcePreviewer(),
]
