import { importPeer } from '../preview-fallback.ts'
import type { MediaPreviewer } from '../previewer.ts'
import type { PdfPeer } from './read-pages.ts'
import { DEFAULT_LIMITS, readPdf } from './read-pdf.ts'
import { recognizePdf } from './recognize-pdf.ts'

/** Options of {@link pdfPreviewer}. */
export interface PdfPreviewerOptions {
  /** Largest number of pages that are read. Defaults to 1,000. */
  readonly maxPages?: number | undefined
  /** Largest text of all pages, in UTF-16 units. Defaults to 10,000,000. */
  readonly maxLength?: number | undefined
  /** Milliseconds to read a document; a slower one has no text. Defaults to 10,000. */
  readonly deadlineMs?: number | undefined
}

/**
 * Create a previewer of PDF documents: counts pages and extracts their text for preview and search.
 *
 * Needs the package `unpdf`. Node.js reads a document in a worker, which is stopped if it exceeds its time or memory.
 * Other runtimes read it in place and check the time only between pages and runs of text. Encrypted documents and those
 * without text are described as such. An event reports damaged ones.
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
