import { importPeer } from '../preview-fallback.ts'
import type { MediaPreviewer } from '../previewer.ts'
import type { PdfPeer } from './read-pages.ts'
import { DEFAULT_LIMITS, readPdf } from './read-pdf.ts'
import { recognizePdf } from './recognize-pdf.ts'

/** Options of {@link pdfPreviewer}. */
export interface PdfPreviewerOptions {
  /** Largest number of pages to read. Defaults to 1,000. */
  readonly maxPages?: number | undefined
  /** Largest text of all pages, in UTF-16 units. Defaults to 10,000,000. */
  readonly maxLength?: number | undefined
  /** Time limit for reading a document, in milliseconds. Defaults to 10,000. A slower document has no text. */
  readonly deadlineMs?: number | undefined
}

/**
 * Create a previewer of PDF documents: counts pages and extracts their text for preview and search.
 *
 * Needs the package `unpdf`. On Node.js, a worker reads the document. The worker is stopped if it needs too much time
 * or memory. Other runtimes read without a worker, and check the time only between pages and runs of text. The
 * description mentions that a document is encrypted or has no text. An event reports damaged documents.
 *
 * @throws TypeError if an option is not a positive number.
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
