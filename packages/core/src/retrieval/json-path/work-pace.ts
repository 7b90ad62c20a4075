import { yieldToEventLoop } from '@spillway/text/internal'
import { checkAborted } from '../../storage/storage-error.ts'

/** Milliseconds between two turns of the event loop. */
const TURN_MS = 8
/** Pauses of steps between two turns, at most; and what each takes at least. Some runtimes stop the clock while code runs. */
const MAX_PAUSES = 8
const LEAST_MS_OF_A_PAUSE = 0.5

/** The time that the work of one call may take is spent. */
export class WorkTimeout extends Error {
  override readonly name = 'WorkTimeout'
}

/** Lets other work have its turn, and ends work that takes too long; what is waited for does not count. */
export class WorkPace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()
  #pauses = 0
  #leftMs: number

  /** @param deadlineMs - For all work together. */
  constructor(deadlineMs: number, signal: AbortSignal | undefined) {
    this.#leftMs = deadlineMs
    this.#signal = signal
  }

  /** Whether it is time to take a turn. */
  get isDue(): boolean {
    return this.#pauses >= MAX_PAUSES || performance.now() - this.#since >= TURN_MS
  }

  /** Count what was worked, before waiting for something. */
  rest(): void {
    this.#leftMs -= Math.max(performance.now() - this.#since, this.#pauses * LEAST_MS_OF_A_PAUSE)
    this.resume()
  }

  /** Begin to count anew, after waiting. */
  resume(): void {
    this.#pauses = 0
    this.#since = performance.now()
  }

  /** Give way. Throws {@link WorkTimeout}, or what an abort throws. */
  async turn(): Promise<void> {
    this.rest()
    checkAborted(this.#signal)
    if (this.#leftMs <= 0) throw new WorkTimeout('The path took too long.')
    await yieldToEventLoop()
    this.resume()
  }

  /** Go through steps that say where they can pause. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      this.#pauses++
      if (this.isDue) await this.turn()
    }
  }
}
