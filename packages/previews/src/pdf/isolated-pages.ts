import { isolate } from '@spillway/text/internal/engines'
import { IsolationError } from '@spillway/text/internal'
import { locateInstalled } from '../installed-peer.ts'
import { readPages, type PdfContent, type PdfLimits, type PdfPeer } from './read-pages.ts'

/** Megabytes that the reader may hold, for which an ordinary document of a thousand pages needs a quarter. */
const MAX_MEMORY_MB = 768
/** Starting a worker and loading PDF.js takes a moment, which is none of the document's time. */
const START_MS = 3_000

/** Some bundlers wrap functions to keep their names; the wrapper is not there in a worker. */
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
 * Read the pages of a PDF in a worker that is ended where it takes too long or too much memory.
 *
 * In runtimes without such workers it is read in place, where time is only looked at between pages and runs of text.
 *
 * @param loadPeer - Imports `unpdf`, for reading in place.
 */
export async function isolatedPages(
  data: Uint8Array,
  limits: PdfLimits,
  loadPeer: () => Promise<PdfPeer>,
): Promise<PdfContent> {
  // A worker cannot look for it from here.
  const peer = locateInstalled('unpdf')?.href
  // A worker gets a copy of all that the bytes are a part of; PDF.js takes the bytes that it is given.
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
