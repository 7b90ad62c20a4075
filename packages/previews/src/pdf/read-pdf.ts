import { cleanLine, countOf, formatCount, IsolationError } from '@spillway/text/internal'
import { isolate } from '@spillway/text/internal/engines'
import { describeMedia } from '../media/describe-media.ts'
import type { MediaPreview, MediaSubject } from '../previewer.ts'
import { readPages, type PdfContent, type PdfLimits, type PdfLine, type PdfPeer } from './read-pages.ts'
import { isUntold } from './recognize-pdf.ts'
import { locateInstalled } from '../preview-fallback.ts'

/** Number of bytes that readers accept before the header. */
const HEADER_BYTES = 1_024

export const DEFAULT_LIMITS: PdfLimits = { maxPages: 1_000, maxLength: 10_000_000, deadlineMs: 10_000 }

/** Returns `undefined` if the bytes are not a PDF document. `loadPeer` imports `unpdf`. */
export async function readPdf(
  data: Uint8Array,
  { mediaType }: Pick<MediaSubject, 'mediaType'>,
  limits: PdfLimits,
  loadPeer: () => Promise<PdfPeer>,
): Promise<MediaPreview | undefined> {
  if (!isPdf(data)) return undefined
  const told = describeMedia(data, mediaType)
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

/** Limit of memory. An ordinary document of a thousand pages needs a quarter of this limit. */
const MAX_MEMORY_MB = 768
/** Additional milliseconds for starting the worker and loading PDF.js. */
const START_MS = 3_000

/** Program of the worker. It defines `__name`, with which some bundlers keep the names of functions. */
const PROGRAM = `
const __name = (named) => named
import('node:worker_threads').then(({ parentPort }) => {
  const readPages = ${readPages.toString()}
  parentPort.on('message', async ({ peer, data, limits }) => {
    try {
      parentPort.postMessage({ content: await readPages(await import(peer), data, limits) })
    } catch (error) {
      parentPort.postMessage({ error: { name: error.name, message: error.message } })
    }
  })
})
`

const program = isolate(PROGRAM, MAX_MEMORY_MB)

/**
 * The worker is stopped if it needs too much time or memory. Runtimes without workers check the time only between pages
 * and runs of text.
 *
 * @param loadPeer - Imports `unpdf`, for reading without a worker.
 */
export async function isolatedPages(
  data: Uint8Array,
  limits: PdfLimits,
  loadPeer: () => Promise<PdfPeer>,
): Promise<PdfContent> {
  // The worker cannot resolve the package from here.
  const peer = locateInstalled('unpdf')?.href
  // A worker would copy the whole underlying buffer, and PDF.js detaches the bytes that it gets.
  const copy = new Uint8Array(data)
  if (peer === undefined || program === undefined) return readPages(await loadPeer(), copy, limits)
  try {
    const answer = await program.run({ peer, data: copy, limits }, limits.deadlineMs + START_MS)
    const { content, error } = answer as { readonly content?: PdfContent; readonly error?: Error }
    if (content !== undefined) return content
    throw Object.assign(new Error(error?.message), { name: error?.name })
  } catch (error) {
    if (error instanceof IsolationError && error.code === 'unavailable')
      return readPages(await loadPeer(), copy, limits)
    throw error
  }
}

/** Smallest height of a heading, relative to the text. */
const HEADING_FACTOR = 1.15
const MAX_HEADING = 120
const LEVELS = 3

/** Write `--- page 3 of 12 ---` before each page, headings as in Markdown, and the number of pages not read. */
function pageText({ pageCount, pages }: PdfContent): string {
  const levels = headingLevels(pages.flatMap((page) => page ?? []))
  const parts = pages.map((page, index) => {
    const lines = page === null ? ['[this page cannot be read]'] : page.map((line) => writeLine(line, levels))
    return [`--- page ${index + 1} of ${pageCount} ---`, '', ...withoutBlanks(lines), ''].join('\n')
  })
  const left = pageCount - pages.length
  if (left > 0) parts.push(`[${countOf(left, 'page')} not read]\n`)
  return parts.join('\n')
}

const hasText = ({ pages }: PdfContent): boolean =>
  pages.some((page) => page?.some(({ text }) => text.trim() !== '') === true)

function writeLine({ text, height }: PdfLine, levels: ReadonlyMap<number, number>): string {
  const line = cleanLine(text).trimEnd()
  const level = isHeadingText(line) ? levels.get(round(height)) : undefined
  return level === undefined ? line : `${'#'.repeat(level)} ${line.trimStart()}`
}

/** Return the heading level of each letter height that is larger than most of the text. */
function headingLevels(lines: readonly PdfLine[]): Map<number, number> {
  const lengths = new Map<number, number>()
  for (const { text, height } of lines) lengths.set(round(height), (lengths.get(round(height)) ?? 0) + text.length)
  let body = 0
  for (const [height, length] of lengths) if (height > 0 && length > (lengths.get(body) ?? 0)) body = height
  const heights = [...lengths.keys()].filter((height) => body > 0 && height >= body * HEADING_FACTOR)
  heights.sort((one, other) => other - one)
  return new Map(heights.map((height, index) => [height, Math.min(index + 1, LEVELS)]))
}

const isHeadingText = (line: string): boolean => line.length <= MAX_HEADING && /\p{L}/u.test(line)

const round = (height: number): number => Math.round(height * 2) / 2

/** Removes empty lines at the ends, and all but one of consecutive empty lines. */
function withoutBlanks(lines: readonly string[]): string[] {
  const kept = lines.filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''))
  return kept.at(-1) === '' ? kept.slice(0, -1) : kept
}
