import { formatCount } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { describeMedia } from '../media/describe-media.ts'
import type { MediaPreview, MediaSubject } from '../previewer.ts'
import { isolatedPages } from './isolated-pages.ts'
import { hasText, pageText } from './page-text.ts'
import type { PdfLimits, PdfPeer } from './read-pages.ts'
import { isUntold } from './recognize-pdf.ts'

/** How far into a file the header may stand; readers take that much before it. */
const HEADER_BYTES = 1_024

/** How much of a document is read where nobody says. */
export const DEFAULT_LIMITS: PdfLimits = { maxPages: 1_000, maxLength: 10_000_000, deadlineMs: 10_000 }

/** Count the pages of a PDF, and read their text; `undefined` of what is none. `loadPeer` imports `unpdf`. */
export async function readPdf(
  data: Uint8Array,
  { mediaType, size }: Pick<MediaSubject, 'mediaType' | 'size'>,
  limits: PdfLimits,
  loadPeer: () => Promise<PdfPeer>,
): Promise<MediaPreview | undefined> {
  if (!isPdf(data)) return undefined
  const told = describeMedia(data, mediaType, size)
  try {
    return preview(await isolatedPages(data, limits, loadPeer), isUntold(mediaType))
  } catch (error) {
    if (Object(error).name !== 'PasswordException') throw error
    return { description: [...(told === undefined ? [] : [told]), 'encrypted'].join(', ') }
  }
}

function preview(content: Parameters<typeof pageText>[0], isUntold: boolean): MediaPreview {
  const { pageCount, pages } = content
  const facts = [...(isUntold ? ['pdf'] : []), countOf(pageCount, 'page')]
  if (!hasText(content)) return { description: [...facts, 'no text'].join(', ') }
  if (pages.length < pageCount) facts.push(`text of the first ${formatCount(pages.length)}`)
  return { description: facts.join(', '), text: pageText(content) }
}

const isPdf = (data: Uint8Array): boolean =>
  new TextDecoder('latin1').decode(data.subarray(0, HEADER_BYTES)).includes('%PDF-')
