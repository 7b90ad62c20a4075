import { yieldToEventLoop } from '@spillway/text/internal'
import { checkAborted } from '../storage/storage-error.ts'

/** Milliseconds of work in place between two turns of the event loop. */
const SLICE_MS = 8
/** What each million bytes adds to the time, so that the whole stays linear in the content. */
const MS_PER_MILLION_BYTES = 20

/** Keeps account of the time of a search in place, and gives way to the event loop. */
export class SearchClock {
  readonly #signal: AbortSignal | undefined
  #left: number
  #begin = 0

  constructor(deadlineMs: number, signal: AbortSignal | undefined) {
    this.#left = deadlineMs
    this.#signal = signal
  }

  /** Add the time that so many bytes are worth, and begin to count. */
  start(bytes: number): void {
    checkAborted(this.#signal)
    this.#left += (bytes / 1e6) * MS_PER_MILLION_BYTES
    this.#begin = performance.now()
  }

  /** Whether the time is spent. */
  get isSpent(): boolean {
    return this.#left <= performance.now() - this.#begin
  }

  /** Whether the event loop has waited for a slice. */
  get needsPause(): boolean {
    return performance.now() - this.#begin >= SLICE_MS
  }

  /** Let the event loop have its turn. */
  async pause(): Promise<void> {
    await this.wait(yieldToEventLoop())
  }

  /** Wait for something, which takes none of the time. Rejects as it does, and with `aborted` once the signal has fired. */
  async wait(work: Promise<void>): Promise<void> {
    this.#left -= performance.now() - this.#begin
    try {
      await work
      checkAborted(this.#signal)
    } catch (error) {
      // Whatever was given up for it, the answer is that it was aborted.
      checkAborted(this.#signal)
      throw error
    } finally {
      this.#begin = performance.now()
    }
  }

  /** Count the time since the last start or pause. */
  stop(): void {
    this.#left -= performance.now() - this.#begin
    this.#begin = performance.now()
  }
}
