import { NulFilter } from '@spillway/text/internal'
import { SUBJECT_END, SUBJECT_START, textPreviewersFor } from './choose-previewers.ts'
import { withPurpose } from './detect/tool-intent.ts'
import { LogReader, textPreviewer } from './log/log-previewer.ts'
import { fallbackOf } from './preview-fallback.ts'
import type { TextPreviewer, TextReader, TextSubject } from './previewer.ts'
import { previewBy, type TextPreview, type TextPreviewing } from './read-text.ts'

/** Preview a text that arrives in chunks. Every previewer that recognizes the start of the text reads the text. */
export class ArrivingText {
  readonly #previewing: TextPreviewing
  #byLines = new LogReader()
  #subject: TextSubject | undefined
  #start = ''
  #end = ''
  #length = 0
  readonly #readers = new Map<TextPreviewer, TextReader>()
  readonly #nuls = new NulFilter()

  constructor(previewing: TextPreviewing) {
    this.#previewing = previewing
  }

  /** Add the next chunk of the text. */
  push(text: string): void {
    this.#push(this.#nuls.push(text))
  }

  async finish(): Promise<TextPreview> {
    this.#push(this.#nuls.finish())
    const { onFallback } = this.#previewing
    const begun = this.#subject ?? this.#begin()
    const { scan } = this.#byLines
    const subject: TextSubject = { ...begun, end: this.#end.slice(-SUBJECT_END) }
    const open = [...this.#readers.keys()].filter((previewer) => previewer !== textPreviewer)
    for (const previewer of textPreviewersFor(subject, open, onFallback)) {
      const reader = this.#readers.get(previewer) ?? this.#byLines
      const reading = { countLines: async () => scan.lines, scan: () => scan, onFallback }
      const preview = await previewBy(previewer, subject, reading, async () => reader)
      if (preview !== undefined) return preview
    }
    return { lines: scan.lines, write: async () => '' }
  }

  #push(text: string): void {
    this.#length += text.length
    this.#end += text
    if (this.#end.length > 2 * SUBJECT_END) this.#end = this.#end.slice(-SUBJECT_END)
    if (this.#subject !== undefined) {
      this.#pass(text)
      return
    }
    this.#start += text
    if (this.#start.length > SUBJECT_START) this.#subject = this.#begin()
  }

  #begin(): TextSubject {
    const { call, contentType, previewers, onFallback } = this.#previewing
    const start = this.#start.slice(0, SUBJECT_START)
    const intent = withPurpose(call.intent, start)
    const subject: TextSubject = { ...call, intent, contentType, start, isWhole: this.#length <= SUBJECT_START }
    for (const previewer of [...textPreviewersFor(subject, previewers, onFallback)].slice(0, -1)) {
      try {
        this.#readers.set(previewer, previewer.read(subject))
      } catch (error) {
        onFallback(fallbackOf(previewer.name, error))
      }
    }
    const log = [...this.#readers.values()].find((reader) => reader instanceof LogReader)
    if (log === undefined) this.#readers.set(textPreviewer, this.#byLines)
    else this.#byLines = log
    this.#pass(this.#start)
    this.#start = ''
    return subject
  }

  #pass(text: string): void {
    for (const [previewer, reader] of this.#readers) {
      if (this.#length > (previewer.maxLength ?? Infinity)) this.#readers.delete(previewer)
      else {
        try {
          reader.push(text)
        } catch (error) {
          // The next reader, or the reader by lines, is used instead.
          this.#previewing.onFallback(fallbackOf(previewer.name, error))
          this.#readers.delete(previewer)
        }
      }
    }
  }
}
