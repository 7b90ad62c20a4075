/** The functions of unpdf that this package uses. It includes PDF.js. */
export interface PdfPeer {
  readonly getDocumentProxy: (data: Uint8Array, options: object) => Promise<PdfDocument>
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

/** A run of text, or a structure mark without text. */
interface PdfItem {
  readonly str?: string
  readonly hasEOL?: boolean
  readonly height?: number
}

export interface PdfLine {
  readonly text: string
  /** Height of its letters in points. 0 if unknown. */
  readonly height: number
}

export interface PdfLimits {
  readonly maxPages: number
  /** Largest number of UTF-16 units in all pages. */
  readonly maxLength: number
  readonly deadlineMs: number
}

export interface PdfContent {
  readonly pageCount: number
  /** Lines of each page. `null` for a page that could not be read. */
  readonly pages: readonly (readonly PdfLine[] | null)[]
}

/**
 * Rejects with the error of PDF.js, for example a `PasswordException`, or a `TimeoutError`.
 *
 * The source of this function also runs in a worker, so it must not use other names of this module.
 */
export async function readPages(peer: PdfPeer, data: Uint8Array, limits: PdfLimits): Promise<PdfContent> {
  const end = performance.now() + limits.deadlineMs
  // Document errors must not reach the console, and scripts must not run.
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
        // Without a reason, PDF.js throws an error that cannot be caught.
        await reader.cancel(new Error('The text is long enough.'))
        page.cleanup()
        if (text !== '') lines.push({ text, height })
        pages.push(lines)
      } catch (error) {
        // Damaged pages are common, and other pages may be readable.
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
