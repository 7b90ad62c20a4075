import { expect, test } from 'vitest'
import { makePdf, makePdfOf, pdfStream } from '@spillway-internal/test-inputs'
import type { MediaPreview, MediaSubject } from '../previewer.ts'
import { pdfPreviewer, type PdfPreviewerOptions } from './pdf-previewer.ts'
import { readPages, type PdfPeer } from './read-pages.ts'
import { isolatedPages } from './read-pdf.ts'

const subjectOf = (data: Uint8Array, more: Partial<MediaSubject> = {}): MediaSubject => ({
  toolName: 'read',
  input: {},
  intent: { paths: [], words: [] },
  type: 'document',
  mediaType: 'application/pdf',
  size: data.length,
  ...more,
})

const read = (
  data: Uint8Array,
  options?: PdfPreviewerOptions,
  more?: Partial<MediaSubject>,
): Promise<MediaPreview | undefined> => pdfPreviewer(options).read(data, subjectOf(data, more))

const BODY = Array.from({ length: 20 }, (_, line) => `Line ${line + 1} of what this page says about engines.`)

test('a PDF is previewed page by page, with its headings', async () => {
  const data = makePdf([
    [[24, 'Annual report'], ...BODY],
    [[16, 'Costs (in total)'], ...BODY, [8, 'a footnote']],
  ])
  const preview = await read(data)
  expect(preview?.description).toBe('2 pages')
  expect(preview?.text?.split('\n').filter((line) => !line.startsWith('Line '))).toEqual([
    '--- page 1 of 2 ---',
    '',
    '# Annual report',
    '',
    '--- page 2 of 2 ---',
    '',
    '## Costs (in total)',
    'a footnote',
    '',
  ])
  expect(preview?.text).toContain('\nLine 20 of what this page says about engines.\n')
})

test('the caller can still use the bytes of a PDF, even if they are part of a larger buffer', async () => {
  const data = makePdf([BODY])
  const around = new Uint8Array(data.length + 200_000)
  around.set(data, 100_000)
  const before = around.slice()
  const preview = await read(around.subarray(100_000, 100_000 + data.length))
  expect(preview?.description).toBe('1 page')
  expect(around).toEqual(before)
})

test('a PDF preview counts the pages that were not read', async () => {
  const preview = await read(makePdf([BODY, BODY, BODY, BODY, BODY]), { maxPages: 2 })
  expect(preview?.description).toBe('5 pages, text of the first 2')
  expect(preview?.text).toContain('--- page 2 of 5 ---')
  expect(preview?.text).not.toContain('--- page 3 of 5 ---')
  expect(preview?.text).toMatch(/\n\[3 pages not read\]\n$/)
})

test('a PDF preview reads a limited text, always up to the same position', async () => {
  const data = makePdf([BODY, BODY, BODY])
  const [one, other] = [await read(data, { maxLength: 1_200 }), await read(data, { maxLength: 1_200 })]
  expect(one).toEqual(other)
  expect(one?.description).toBe('3 pages, text of the first 2')
})

test('a PDF preview says that a document has no text', async () => {
  expect(await read(makePdf([[], []]))).toEqual({ description: '2 pages, no text' })
})

/** A document that needs a password. An empty password does not open its standard security handler. */
const LOCKED = makePdfOf(
  [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
  ],
  `/Encrypt 4 0 R /ID [<${'33'.repeat(16)}> <${'33'.repeat(16)}>] `,
)

test('a PDF preview says that a document is encrypted', async () => {
  expect(await read(LOCKED)).toEqual({ description: 'encrypted' })
})

test('the PDF previewer reads a document of unknown type, and ignores other content', async () => {
  const untold = { mediaType: 'application/octet-stream' }
  expect((await read(makePdf([BODY]), {}, untold))?.description).toBe('pdf, 1 page')
  expect(await read(new TextEncoder().encode('no PDF at all'), {}, untold)).toBeUndefined()
  const sureness = (more: Partial<MediaSubject>): number => pdfPreviewer().recognize(subjectOf(new Uint8Array(), more))
  expect(sureness({})).toBeGreaterThan(sureness({ mediaType: 'application/x-unknown', name: 'a.PDF' }))
  expect(sureness({ type: 'image', mediaType: 'image/png' })).toBe(0)
})

test.each([
  ['only a header', new TextEncoder().encode('%PDF-1.7\n')],
  ['first half of a document', makePdf([BODY]).subarray(0, 900)],
  [
    'random bytes',
    Uint8Array.from({ length: 50_000 }, (_, index) => ('%PDF-'.charCodeAt(index) || index * 7919) & 255),
  ],
])('the PDF previewer rejects a damaged document: %s', async (_what, data) => {
  await expect(read(data)).rejects.toThrow('Invalid')
})

/** A document with ten forms. Each form draws the next form ten times. */
const FORMS = makePdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>',
  pdfStream('/X Do '.repeat(10)),
  ...Array.from({ length: 10 }, (_, index) =>
    pdfStream(
      index < 9 ? '/X Do '.repeat(10) : 'BT /F1 9 Tf (again and again) Tj ET',
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${Math.min(7 + index, 15)} 0 R >> >> `,
    ),
  ),
])

test('the PDF previewer gives up on a document that takes too long, and never blocks the event loop', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 10)
  await expect(read(FORMS, { deadlineMs: 500 })).rejects.toThrow('longer than')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
})

test('reading stops for a page tree that contains itself', async () => {
  const pages = '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>'
  const preview = await read(makePdfOf(['<< /Type /Catalog /Pages 2 0 R >>', pages])).catch((error: unknown) => error)
  expect(preview).toSatisfy((found) => found instanceof Error || !('text' in Object(found)))
})

test.each([{ maxPages: 0 }, { maxLength: -1 }, { deadlineMs: Number.NaN }, { deadlineMs: '5' as never }])(
  'options of the PDF previewer cannot be %o',
  (options) => {
    expect(() => pdfPreviewer(options)).toThrow(new RegExp(`^${Object.keys(options)[0]} must be a positive number`))
  },
)

test('a document is read in the same way with and without a worker', async () => {
  const pages = [[[24, 'Annual report'] as const, ...BODY], BODY]
  const limits = { maxPages: 10, maxLength: 10_000, deadlineMs: 10_000 }
  const peer = (await import('unpdf')) as unknown as PdfPeer
  expect(await readPages(peer, makePdf(pages), limits)).toEqual(
    await isolatedPages(makePdf(pages), limits, async () => peer),
  )
})

test('reading a document stops at the time limit even without a worker', async () => {
  const peer = (await import('unpdf')) as unknown as PdfPeer
  const reading = readPages(peer, FORMS.slice(), { maxPages: 10, maxLength: 1e9, deadlineMs: 200 })
  await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' })
})
