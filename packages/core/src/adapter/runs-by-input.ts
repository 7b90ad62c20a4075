/**
 * Finds what a tool call runs with by its input, where a framework tells `toModelOutput` the input of the call and no more;
 * and the input by the run.
 *
 * An input that several runs have in common finds none, as they may be of different users; a schema may make such inputs.
 * Runs and inputs are held weakly.
 *
 * @example
 * ```ts
 * import { RunsByInput } from '@spillway/core/adapter'
 *
 * const runs = new RunsByInput<{ session: string }>()
 * const [input, run] = [{ path: 'app.log' }, { session: 'a' }]
 * runs.start(input, run)
 * console.assert(runs.find(input) === run && runs.inputOf(run) === input)
 * console.assert(runs.find({ path: 'app.log' }) === undefined)
 * ```
 */
export class RunsByInput<Run extends object> {
  readonly #runs = new WeakMap<object, Run | 'several'>()
  readonly #inputs = new WeakMap<Run, unknown>()

  /** Remember the input of a run when it starts; again it does nothing. */
  start(input: unknown, run: Run): void {
    this.#inputs.set(run, input)
    if (typeof input !== 'object' || input === null) return
    const before = this.#runs.get(input)
    if (before !== run) this.#runs.set(input, before === undefined ? run : 'several')
  }

  /** Find the run with this very input, an object; `undefined` where there is none, or several have it. */
  find(input: unknown): Run | undefined {
    const run = typeof input === 'object' && input !== null ? this.#runs.get(input) : undefined
    return run === 'several' ? undefined : run
  }

  /** Return the input that a run was started with; `undefined` where it was not. */
  inputOf(run: Run): unknown {
    return this.#inputs.get(run)
  }
}
