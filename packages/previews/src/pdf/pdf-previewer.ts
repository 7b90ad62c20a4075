import { contentTypeEssence, formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { describeMedia } from '../media/describe-media.ts'
import type { MediaPreview, MediaPreviewer } from '../previewer.ts'
import { isolatedPages } from './isolated-pages.ts'
import { hasText, pageText } from './page-text.ts'

/** Options of {@link pdfPreviewer}. */
export interface PdfPreviewerOptions {
  /** Pages that are read at most; the text says how many were not. Defaults to 1,000. */
  readonly maxPages?: number | undefined
  /** UTF-16 units of text that are read at most, over all pages. Defaults to 10,000,000. */
  readonly maxLength?: number | undefined
  /** Milliseconds that reading a document may take; one that takes longer has no text. Defaults to 10,000. */
  readonly deadlineMs?: number | undefined
}

/** How far into a file the header may stand; readers take that much before it. */
const HEADER_BYTES = 1_024

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
  const { maxPages = 1_000, maxLength = 10_000_000, deadlineMs = 10_000 } = options
  const limits = { maxPages, maxLength, deadlineMs }
  for (const [name, value] of Object.entries(limits))
    if (!(typeof value === 'number' && value > 0 && Number.isFinite(value)))
      throw new TypeError(`${name} must be a positive number, got ${String(value)}.`)
  return {
    name: 'pdf',
    previews: 'media',
    recognize: ({ type, mediaType, name = '' }) => {
      if (contentTypeEssence(mediaType) === 'application/pdf') return 0.95
      return type === 'document' && /\.pdf$/i.test(name) ? 0.7 : isUntold(mediaType) ? 0.4 : 0
    },
    read: async (data, { mediaType, size }) => {
      if (!isPdf(data)) return undefined
      const told = describeMedia(data, mediaType, size)
      try {
        const content = await isolatedPages(data, limits)
        return preview(content, isUntold(mediaType))
      } catch (error) {
        if (Object(error).name !== 'PasswordException') throw error
        return { description: [...(told === undefined ? [] : [told]), 'encrypted'].join(', ') }
      }
    },
  }
}

function preview(content: Parameters<typeof pageText>[0], isUntold: boolean): MediaPreview {
  const { pageCount, pages } = content
  const facts = [...(isUntold ? ['pdf'] : []), countOf(pageCount, 'page')]
  if (!hasText(content)) return { description: [...facts, 'no text'].join(', ') }
  if (pages.length < pageCount) facts.push(`text of the first ${formatCount(pages.length)}`)
  return { description: facts.join(', '), text: pageText(content) }
}

const isUntold = (mediaType: string): boolean => contentTypeEssence(mediaType) === 'application/octet-stream'

const isPdf = (data: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(data.subarray(0, HEADER_BYTES)).includes('%PDF-')
