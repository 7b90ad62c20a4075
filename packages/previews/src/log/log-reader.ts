import type { TextReader, TextSubject, WritePreview } from '../previewer.ts'
import { LINE_MODEL, type LineModel } from './line-model.ts'
import { renderTextPreview } from './render-text-preview.ts'
import type { TextScan } from './text-scan.ts'
import { TextScanner } from './text-scanner.ts'

/** Reads a text by its lines. */
export class LogReader implements TextReader {
  readonly #scanner: TextScanner
  readonly #isLog: (subject: TextSubject) => boolean
  #scan: TextScan | undefined

  /**
   * @param isLog - Tells whether the text is surely the output of a program; it is not, if absent.
   * @param model - What lines are ranked by.
   */
  constructor(isLog: (subject: TextSubject) => boolean = () => false, model: LineModel = LINE_MODEL) {
    this.#scanner = new TextScanner(model)
    this.#isLog = isLog
  }

  push(text: string): void {
    this.#scanner.push(text)
  }

  /** What was kept of the text, which takes no more once this is asked for. */
  get scan(): TextScan {
    return (this.#scan ??= this.#scanner.finish())
  }

  finish(subject: TextSubject): WritePreview {
    const { scan } = this
    const isLog = this.#isLog(subject)
    return (options) => renderTextPreview(scan, options, { isLog })
  }
}
