import { formatBytes } from '../format.ts'
import { clearStatus, showStatus } from '../output.ts'

const INTERVAL_MS = 200

/** Shows on a terminal that output arrives: it is not printed meanwhile. */
export class Progress {
  readonly #label: string
  readonly #start = Date.now()
  readonly #timer: NodeJS.Timeout
  #bytes = 0

  constructor(label: string) {
    this.#label = label
    this.#timer = setInterval(() => this.#show(), INTERVAL_MS).unref()
  }

  update(bytes: number): void {
    this.#bytes = bytes
  }

  /** Take the status away. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await clearStatus()
  }

  #show(): void {
    const seconds = Math.floor((Date.now() - this.#start) / 1000)
    showStatus(`${this.#label}: ${formatBytes(this.#bytes)}, ${seconds} s`)
  }
}
