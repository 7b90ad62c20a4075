import { yieldToEventLoop } from '#platform'
import { checkAborted } from '../../storage/guard.ts'

/** Milliseconds between two turns of the event loop. */
const TURN_MS = 8

/** The time that the work of one call may take is spent. */
export class WorkTimeout extends Error {
  override readonly name = 'WorkTimeout'
}

/** Lets other work have its turn, and ends work that takes too long; what is waited for does not count. */
export class WorkPace {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()
  #leftMs: number

  /** @param deadlineMs - For all work together. */
  constructor(deadlineMs: number, signal: AbortSignal | undefined) {
    this.#leftMs = deadlineMs
    this.#signal = signal
  }

  /** Whether it is time to take a turn. */
  get isDue(): boolean {
    return performance.now() - this.#since >= TURN_MS
  }

  /** Begin to count anew, after waiting. */
  resume(): void {
    this.#since = performance.now()
  }

  /** Give way. Throws {@link WorkTimeout}, or what an abort throws. */
  async turn(): Promise<void> {
    this.#leftMs -= performance.now() - this.#since
    checkAborted(this.#signal)
    if (this.#leftMs <= 0) throw new WorkTimeout('The path took too long.')
    await yieldToEventLoop()
    this.#since = performance.now()
  }

  /** Go through steps that say where they can pause. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (this.isDue) await this.turn()
    }
  }
}
