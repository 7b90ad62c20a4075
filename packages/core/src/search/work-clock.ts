import { workMilliseconds, yieldToOthers } from '@spillway/text/internal'
import { checkAborted } from '../storage/storage-error.ts'

const SLICE_MS = 8
/** Largest number of steps between two pauses. Each step counts as some time, because some runtimes stop the clock. */
const MAX_STEPS = 8
const LEAST_MS_OF_A_STEP = 0.5

export class WorkTimeout extends Error {
  override readonly name = 'WorkTimeout'
}

/** Measures the CPU time of work on this thread, and yields to the event loop and to other callers. */
export class WorkClock {
  readonly #signal: AbortSignal | undefined
  readonly #caller: unknown
  #left: number
  #begin = workMilliseconds()
  #steps = 0

  constructor(deadlineMs: number, signal: AbortSignal | undefined, caller?: unknown) {
    this.#left = deadlineMs
    this.#signal = signal
    this.#caller = caller
  }

  start(additionalMs = 0): void {
    checkAborted(this.#signal)
    this.#left += additionalMs
    this.#restart()
  }

  stop(): void {
    this.#left -= this.#spent
    this.#restart()
  }

  get isSpent(): boolean {
    return this.#left <= this.#spent
  }

  get needsPause(): boolean {
    return this.#steps >= MAX_STEPS || workMilliseconds() - this.#begin >= SLICE_MS
  }

  async pause(): Promise<void> {
    await this.wait(yieldToOthers(this.#caller))
  }

  /** Pause, or throw a {@link WorkTimeout} if the time is spent. */
  async turn(): Promise<void> {
    checkAborted(this.#signal)
    if (this.isSpent) throw new WorkTimeout('The work took too long.')
    await this.pause()
  }

  /** Run steps to their result, with pauses. Rejects like {@link WorkClock.turn}. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      this.#steps++
      if (this.needsPause) await this.turn()
    }
  }

  /** Wait for work whose time is not counted. Rejects if `work` rejects, and with `aborted` after the signal fired. */
  async wait(work: Promise<void>): Promise<void> {
    this.stop()
    try {
      await work
      checkAborted(this.#signal)
    } catch (error) {
      // An abort takes precedence over any other error.
      checkAborted(this.#signal)
      throw error
    } finally {
      this.#restart()
    }
  }

  get #spent(): number {
    return Math.max(workMilliseconds() - this.#begin, this.#steps * LEAST_MS_OF_A_STEP)
  }

  #restart(): void {
    this.#steps = 0
    this.#begin = workMilliseconds()
  }
}
