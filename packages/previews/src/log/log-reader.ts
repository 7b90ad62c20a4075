import type { TextReader, TextSubject, WritePreview } from '../previewer.ts'
import { LOG_SHARES, type LogPreviewShares } from './log-shares.ts'
import { renderTextPreview } from './render-text-preview.ts'
import type { TextScan } from './text-scan.ts'
import { TextScanner } from './text-scanner.ts'

/** Reads a text by its lines. */
export class LogReader implements TextReader {
  readonly #scanner = new TextScanner()
  readonly #shares: LogPreviewShares
  readonly #isLog: (subject: TextSubject) => boolean
  #scan: TextScan | undefined

  /** @param isLog - Tells whether the text is surely the output of a program; it is not, if absent. */
  constructor(shares: LogPreviewShares = LOG_SHARES, isLog: (subject: TextSubject) => boolean = () => false) {
    this.#shares = shares
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
    return (options) => renderTextPreview(scan, options, { shares: this.#shares, isLog })
  }
}
