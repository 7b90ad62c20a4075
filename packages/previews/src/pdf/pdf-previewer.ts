import { importPeer } from '../preview-fallback.ts'
import type { MediaPreviewer } from '../previewer.ts'
import type { PdfPeer } from './read-pages.ts'
import { DEFAULT_LIMITS, readPdf } from './read-pdf.ts'
import { recognizePdf } from './recognize-pdf.ts'

/** Options of {@link pdfPreviewer}. */
export interface PdfPreviewerOptions {
  /** Pages that are read at most; the text says how many were not. Defaults to 1,000. */
  readonly maxPages?: number | undefined
  /** UTF-16 units of text that are read at most, over all pages. Defaults to 10,000,000. */
  readonly maxLength?: number | undefined
  /** Milliseconds that reading a document may take; one that takes longer has no text. Defaults to 10,000. */
  readonly deadlineMs?: number | undefined
}

/**
 * Make a previewer of PDF documents: it counts their pages, and gives their text page by page, so that it can be
 * previewed and searched.
 *
 * It needs the package `unpdf`. In Node.js a document is read in a worker, which is ended where it takes too long or too
 * much memory; in other runtimes in place, where the time is only looked at between pages and runs of text. An encrypted
 * document and one without text say so; of a damaged one there is no text, and an event tells why.
 *
 * @throws TypeError where an option is no positive number.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { pdfPreviewer } from '@spillway/previews/pdf'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const previewers = [pdfPreviewer({ maxPages: 200 })]
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage(), previewers })
 * console.assert(offloader.options.previewers[0]?.name === 'pdf')
 * ```
 */
export function pdfPreviewer(options: PdfPreviewerOptions = {}): MediaPreviewer {
  const { maxPages, maxLength, deadlineMs } = DEFAULT_LIMITS
  const limits = {
    maxPages: options.maxPages ?? maxPages,
    maxLength: options.maxLength ?? maxLength,
    deadlineMs: options.deadlineMs ?? deadlineMs,
  }
  for (const [name, value] of Object.entries(limits))
    if (!(typeof value === 'number' && value > 0 && Number.isFinite(value)))
      throw new TypeError(`${name} must be a positive number, got ${String(value)}.`)
  return {
    name: 'pdf',
    previews: 'media',
    recognize: recognizePdf,
    read: (data, subject) => readPdf(data, subject, limits, loadPeer),
  }
}

const loadPeer = (): Promise<PdfPeer> =>
  importPeer('unpdf', () => import('unpdf') as Promise<unknown> as Promise<PdfPeer>)
