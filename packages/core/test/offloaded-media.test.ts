/** Results of media previewers that need a library, in an offloader. */
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { imagePreviewer } from '@spillway/previews/image'
import { pdfPreviewer } from '@spillway/previews/pdf'
import { makePdf } from '@spillway-internal/test-inputs'
import { ContextOffloader } from '../src/offload/context-offloader.ts'
import type { OffloadEvent } from '../src/offload/context-offloader-options.ts'
import { tinyStorage } from './tiny-storage.ts'

const BODY = Array.from({ length: 20 }, (_, line) => `Line ${line + 1} of what this page says about engines.`)

const offloadPdf = async (data: Uint8Array, events: OffloadEvent[] = []) => {
  const offloader = new ContextOffloader({
    storage: tinyStorage(),
    previewers: [pdfPreviewer()],
    maxResultTokens: 1_000,
    onEvent: (event) => events.push(event),
  })
  const content = [{ type: 'document', mediaType: 'application/pdf', name: 'report.pdf', data } as const]
  const outcome = await offloader.offload({ toolName: 'read', toolCallId: 'call_1', content })
  const [block] = outcome.content
  return { offloader, outcome, text: block?.type === 'text' ? block.text : '' }
}

test('an offloaded document is previewed by its headings, and its text can be searched', async () => {
  const pages = Array.from({ length: 30 }, (_, page) => [[18, `Chapter ${page + 1}`] as const, ...BODY])
  const { offloader, outcome, text } = await offloadPdf(makePdf(pages))
  expect(text).toContain('[document: pdf, "report.pdf", 30 pages, ')
  expect(text).toContain('# Chapter 1')
  const reference = outcome.status === 'offloaded' ? outcome.stored[1]?.reference : undefined
  const answer = await offloader.retrievalTool.execute({ reference, pattern: 'Chapter 17$', context_lines: 2 })
  expect(answer.content).toMatchObject([{ text: expect.stringContaining('--- page 17 of 30 ---') }])
})

test('a document that cannot be read is kept whole, and an event has the reason', async () => {
  const events: OffloadEvent[] = []
  const data = new Uint8Array(50_000)
  data.set(new TextEncoder().encode('%PDF-1.7\n'))
  const { outcome, text } = await offloadPdf(data, events)
  expect(outcome.status).toBe('offloaded')
  expect(text).toContain('[document: pdf, "report.pdf", 50,000 bytes]')
  expect(events).toMatchObject([{ type: 'preview-fallback', previewer: 'pdf', reason: 'failed' }, { type: 'offload' }])
})

test('the smaller version of an image follows the replacement, which mentions the image', async () => {
  const events: OffloadEvent[] = []
  const previewers = [imagePreviewer({ scale: { maxWidth: 200, maxHeight: 200 } })]
  const offloader = new ContextOffloader({
    storage: tinyStorage(),
    previewers,
    maxResultTokens: 1_000,
    onEvent: (event) => events.push(event),
  })
  // Random pixels, which no image format can compress.
  const raw = randomBytes(900 * 600 * 3)
  const data = new Uint8Array(
    await sharp(raw, { raw: { width: 900, height: 600, channels: 3 } })
      .png()
      .toBuffer(),
  )
  const content = [{ type: 'image', mediaType: 'image/png', data } as const]
  const outcome = await offloader.offload({ toolName: 'draw', toolCallId: 'call_1', content })
  expect(outcome).toMatchObject({ status: 'offloaded' })
  expect(outcome.content).toMatchObject([
    { type: 'text', text: expect.stringMatching(/\[image: png, 900 × 600, [\d,]+ bytes, smaller below\]/) },
    { type: 'image', mediaType: 'image/webp' },
  ])
  expect(events.map(({ type }) => type)).toEqual(['offload'])
})
