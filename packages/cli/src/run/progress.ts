import { formatBytes } from '../format.ts'
import { note } from '../output.ts'

const INTERVAL_MS = 200
const CLEAR_LINE = '\r\u001B[2K'

/** Shows on a terminal, and nowhere else, that output arrives: it is not printed meanwhile. */
export class Progress {
  readonly #label: string
  readonly #start = Date.now()
  readonly #timer: NodeJS.Timeout | undefined
  #bytes = 0

  constructor(label: string) {
    this.#label = label
    if (process.stderr.isTTY) this.#timer = setInterval(() => void this.#draw(), INTERVAL_MS).unref()
  }

  update(bytes: number): void {
    this.#bytes = bytes
  }

  /** Take the line away. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    await note(CLEAR_LINE)
  }

  #draw(): Promise<void> {
    const seconds = Math.floor((Date.now() - this.#start) / 1000)
    return note(`${CLEAR_LINE}${this.#label}: ${formatBytes(this.#bytes)}, ${seconds} s`)
  }
}
