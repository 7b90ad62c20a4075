/** What is used of the package unpdf, which brings PDF.js. */
export interface PdfPeer {
  readonly getDocumentProxy: (data: Uint8Array, options: PdfOptions) => Promise<PdfDocument>
}

/** Options of PDF.js. */
interface PdfOptions {
  readonly verbosity: number
  readonly stopAtErrors: boolean
  readonly isEvalSupported: boolean
  readonly useSystemFonts: boolean
}

interface PdfDocument {
  readonly numPages: number
  readonly loadingTask: { destroy(): Promise<void> }
  getPage(number: number): Promise<PdfPage>
}

interface PdfPage {
  streamTextContent(): ReadableStream<{ readonly items: readonly PdfItem[] }>
  cleanup(): boolean
}

/** A run of text, or a mark of the document's structure, which has no text. */
interface PdfItem {
  readonly str?: string
  readonly hasEOL?: boolean
  readonly height?: number
}

/** A line of a page. */
export interface PdfLine {
  readonly text: string
  /** How high its letters are, in points; 0 where that is not known. */
  readonly height: number
}

/** How much of a document is read. */
export interface PdfLimits {
  readonly maxPages: number
  /** UTF-16 units of text, over all pages. */
  readonly maxLength: number
  readonly deadlineMs: number
}

/** What was read of a document. */
export interface PdfContent {
  readonly pageCount: number
  /** The lines of each page that was read, none for one that could not be. */
  readonly pages: readonly (readonly PdfLine[] | null)[]
}

/**
 * Read the text of a PDF, page by page. Rejects with what PDF.js gives as its reason, such as a `PasswordException`, and
 * with a `TimeoutError` where it takes too long.
 *
 * Its text is run in a worker where there are such: it uses nothing from outside itself.
 */
export async function readPages(peer: PdfPeer, data: Uint8Array, limits: PdfLimits): Promise<PdfContent> {
  const end = performance.now() + limits.deadlineMs
  // What is wrong with the document is nothing that its console should tell, and nothing of it is to be run.
  const options = { verbosity: 0, stopAtErrors: false, isEvalSupported: false, useSystemFonts: false }
  const pdf = await peer.getDocumentProxy(data, options)
  try {
    const pages: (PdfLine[] | null)[] = []
    let left = limits.maxLength
    for (let number = 1; number <= Math.min(pdf.numPages, limits.maxPages) && left > 0; number++) {
      const lines: PdfLine[] = []
      let text = ''
      let height = 0
      try {
        const page = await pdf.getPage(number)
        const reader = page.streamTextContent().getReader()
        for (let ended = false; !ended && left > 0;) {
          const { done, value } = await reader.read()
          ended = done
          for (const item of value?.items ?? []) {
            text += item.str ?? ''
            left -= item.str?.length ?? 0
            if (item.str?.trim()) height = Math.max(height, item.height ?? 0)
            if (item.hasEOL !== true) continue
            lines.push({ text, height })
            text = ''
            height = 0
          }
          if (performance.now() > end) break
        }
        // Without a reason PDF.js throws where nobody can catch it.
        await reader.cancel(new Error('This is enough.'))
        page.cleanup()
        if (text !== '') lines.push({ text, height })
        pages.push(lines)
      } catch (error) {
        // Damaged pages are part of life, and the others may be well.
        if (!(error instanceof Error)) throw error
        pages.push(null)
      }
      if (performance.now() > end) {
        const timeout = new Error(`The PDF took longer than ${limits.deadlineMs} ms to read.`)
        timeout.name = 'TimeoutError'
        throw timeout
      }
    }
    return { pageCount: pdf.numPages, pages }
  } finally {
    await pdf.loadingTask.destroy()
  }
}
