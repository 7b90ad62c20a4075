/** What one step of RE2 in JavaScript takes at most: 12 to 60 ns were measured. */
const MS_PER_STEP = 70e-6

/** Tells how long work in place takes, also where the clock stands still while code runs. */
export interface StepClock {
  /** Note that a slice of work begins. */
  start(): void
  /** Return the milliseconds of the slice, of at most `steps` steps. */
  stop(steps: number): number
}

/**
 * Make a clock that goes by the time as soon as it has seen it move, and until then by steps.
 *
 * Some edge runtimes stop the clock until the next I/O, so that no slice of work would ever take any time.
 */
export function createStepClock(): StepClock {
  let begin = 0
  let moves = false
  return {
    start() {
      begin = performance.now()
    },
    stop(steps) {
      const elapsed = performance.now() - begin
      moves ||= elapsed > 0
      return moves ? elapsed : steps * MS_PER_STEP
    },
  }
}
