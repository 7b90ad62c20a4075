import { SUBJECT_START, textPreviewersFor } from './choose-previewers.ts'
import { LogReader } from './log/log-reader.ts'
import { textPreviewer } from './log/text-previewer.ts'
import { fallbackOf } from './preview-fallback.ts'
import type { TextPreviewer, TextReader, TextSubject } from './previewer.ts'
import { attempt, checked, type TextPreview, type TextPreviewing } from './read-text.ts'

/** Previewers that read at once: the surest, and the one that is next where the surest cannot be used. */
const MOST_READERS = 2

interface OpenReader {
  readonly previewer: TextPreviewer
  readonly reader: TextReader
}

/** Reads a text that arrives in pieces: as the surest previewers do, and by its lines in case they fail. */
export class ArrivingText {
  readonly #previewing: TextPreviewing
  /** Reads by lines, as one of the readers: that of a log where the text may be one. */
  #byLines = new LogReader()
  #start = ''
  #length = 0
  #readers: readonly OpenReader[] | undefined

  constructor(previewing: TextPreviewing) {
    this.#previewing = previewing
  }

  /** Take in the next piece of the text. */
  push(text: string): void {
    this.#length += text.length
    if (this.#readers !== undefined) {
      this.#readers = this.#pass(this.#readers, text)
      return
    }
    this.#start += text
    if (this.#start.length >= SUBJECT_START) this.#readers = this.#begin()
  }

  /** End the text. */
  async finish(): Promise<TextPreview> {
    const readers = this.#readers ?? this.#begin()
    const { onFallback } = this.#previewing
    const { scan } = this.#byLines
    for (const { previewer, reader } of readers) {
      const write = await attempt(previewer, onFallback, () => reader.finish())
      if (write !== undefined) return { lines: scan.lines, write: checked(previewer, write, () => scan, onFallback) }
    }
    return { lines: scan.lines, write: async () => '' }
  }

  #begin(): readonly OpenReader[] {
    const { call, contentType, previewers, onFallback } = this.#previewing
    const subject: TextSubject = { ...call, contentType, start: this.#start.slice(0, SUBJECT_START) }
    const readers: OpenReader[] = []
    for (const previewer of textPreviewersFor(subject, previewers, onFallback).slice(0, -1)) {
      if (readers.length === MOST_READERS) break
      try {
        readers.push({ previewer, reader: previewer.read(subject) })
      } catch (error) {
        onFallback(fallbackOf(previewer.name, error))
      }
    }
    const log = readers.map(({ reader }) => reader).find((reader) => reader instanceof LogReader)
    if (log === undefined) readers.push({ previewer: textPreviewer, reader: this.#byLines })
    else this.#byLines = log
    const start = this.#start
    this.#start = ''
    return this.#pass(readers, start)
  }

  /** Hand a piece to the readers, and return those that go on. */
  #pass(readers: readonly OpenReader[], text: string): readonly OpenReader[] {
    return readers.filter(({ previewer, reader }) => {
      if (this.#length > (previewer.maxLength ?? Infinity)) return false
      try {
        reader.push(text)
        return true
      } catch (error) {
        // The next reader, or the lines, will do.
        this.#previewing.onFallback(fallbackOf(previewer.name, error))
        return false
      }
    })
  }
}
