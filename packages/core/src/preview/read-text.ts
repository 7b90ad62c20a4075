import { textPreviewersFor, SUBJECT_END, SUBJECT_START, type OnFallback } from './choose-previewers.ts'
import { LineCounter } from './line-counter.ts'
import { renderTextPreview } from './log/render-text-preview.ts'
import { textPreviewer } from './log/text-previewer.ts'
import type { TextScan } from './log/text-scan.ts'
import { TextScanner } from './log/text-scanner.ts'
import { fallbackOf } from './preview-fallback.ts'
import type {
  PreviewCall,
  Previewer,
  PreviewOptions,
  TextPreviewer,
  TextReader,
  TextSubject,
  WritePreview,
} from './previewer.ts'

/** A text that has been read, ready to be previewed. */
export interface TextPreview {
  /** Lines of the text; a final newline ends the last line. */
  readonly lines: number
  /** Write the preview: well-formed, and never over the budget. */
  readonly write: (options: PreviewOptions) => Promise<string>
}

/** What texts are previewed with. */
export interface TextPreviewing {
  readonly call: PreviewCall
  readonly contentType: string
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
}

/** Read a text with the surest previewer; where that finds it to be something else, or fails, with the next one. */
export async function readText(text: string, previewing: TextPreviewing): Promise<TextPreview> {
  const { call, contentType, previewers, onFallback } = previewing
  const subject: TextSubject = {
    ...call,
    contentType,
    start: text.slice(0, SUBJECT_START),
    end: text.slice(-SUBJECT_END),
    length: text.length,
  }
  const scan = (): TextScan => {
    const scanner = new TextScanner()
    scanner.push(text)
    return scanner.finish()
  }
  const counter = new LineCounter()
  counter.push(text)
  for (const previewer of textPreviewersFor(subject, previewers, onFallback)) {
    const write = await attempt(previewer, onFallback, () => {
      const reader = previewer.read(subject)
      reader.push(text)
      return reader.finish()
    })
    if (write !== undefined) return { lines: counter.lines, write: checked(previewer, write, scan, onFallback) }
  }
  return { lines: counter.lines, write: async () => '' }
}

/** Reads a text that arrives in pieces: as the surest previewer does, and by its lines in case that fails. */
export class ArrivingText {
  readonly #previewing: TextPreviewing
  readonly #counter = new LineCounter()
  readonly #scanner = new TextScanner()
  #start = ''
  #length = 0
  #previewer: TextPreviewer | undefined
  #reader: TextReader | undefined

  constructor(previewing: TextPreviewing) {
    this.#previewing = previewing
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#counter.push(text)
    this.#scanner.push(text)
    this.#length += text.length
    if (this.#previewer !== undefined) {
      this.#pass(text)
      return
    }
    this.#start += text
    if (this.#start.length >= SUBJECT_START) this.#begin()
  }

  /** End the text. */
  async finish(): Promise<TextPreview> {
    if (this.#previewer === undefined) this.#begin()
    const { onFallback } = this.#previewing
    const scanned = this.#scanner.finish()
    const scan = (): TextScan => scanned
    const reader = this.#reader
    const write = reader && (await attempt(this.#previewer!, onFallback, () => reader.finish()))
    const byLines = (options: PreviewOptions): string => renderTextPreview(scanned, options)
    return {
      lines: this.#counter.lines,
      write: checked(this.#previewer!, write ?? byLines, scan, onFallback),
    }
  }

  #begin(): void {
    const { call, contentType, previewers, onFallback } = this.#previewing
    const subject = { ...call, contentType, start: this.#start.slice(0, SUBJECT_START) }
    const [previewer = textPreviewer] = textPreviewersFor(subject, previewers, onFallback)
    this.#previewer = previewer
    // The lines are scanned in any case.
    if (previewer === textPreviewer) return
    try {
      this.#reader = previewer.read(subject)
    } catch (error) {
      onFallback(fallbackOf(previewer.name, error))
    }
    this.#pass(this.#start)
    this.#start = ''
  }

  #pass(text: string): void {
    if (this.#reader === undefined) return
    if (this.#length > (this.#previewer?.maxLength ?? Infinity)) {
      this.#reader = undefined
      return
    }
    try {
      this.#reader.push(text)
    } catch (error) {
      // As below: the lines tell enough.
      this.#reader = undefined
      this.#previewing.onFallback(fallbackOf(this.#previewer!.name, error))
    }
  }
}

async function attempt(
  previewer: TextPreviewer,
  onFallback: OnFallback,
  read: () => ReturnType<TextReader['finish']>,
): Promise<WritePreview | undefined> {
  try {
    return await read()
  } catch (error) {
    // A previewer may be anybody's code: what it throws must not cost the result.
    onFallback(fallbackOf(previewer.name, error))
    return undefined
  }
}

/** Hold a previewer to its word: what it throws, leaves undone or writes over the budget is written by lines instead. */
function checked(
  previewer: TextPreviewer,
  write: WritePreview,
  scan: () => TextScan,
  onFallback: OnFallback,
): TextPreview['write'] {
  return async (options) => {
    if (!(options.budgetTokens > 0)) return ''
    try {
      const written: unknown = await write(options)
      if (typeof written === 'string') {
        const text = written.toWellFormed()
        if (text === '' || options.countTokens(text) <= options.budgetTokens) return text
        onFallback({ previewer: previewer.name, reason: 'over-budget' })
      } else if (written !== undefined)
        throw new TypeError(`The previewer "${previewer.name}" must write a string, got ${typeof written}.`)
    } catch (error) {
      onFallback(fallbackOf(previewer.name, error))
    }
    return renderTextPreview(scan(), options).toWellFormed()
  }
}
