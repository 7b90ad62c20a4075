import type { ChildProcess } from 'node:child_process'
import { ownScript, startScript } from './run-script.ts'

/** An order to a process, sent as a line of JSON. */
export type Order =
  | { readonly kind: 'store'; readonly config: unknown; readonly count: number }
  | { readonly kind: 'evict'; readonly config: unknown; readonly unusedSince: number }
  | { readonly kind: 'stop' }

/** An entry that a process has stored. */
export interface OrderedStore {
  readonly reference: string
  /** Whether this process created the entry. */
  readonly created: boolean
}

/** A separate process that uses storages of a backend on orders, so that one process serves several tests. */
export class OrderedProcess {
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly #ended: Promise<never>
  #onLine = (): void => {}

  private constructor(module: URL) {
    this.#child = startScript(ownScript('ordered-process.ts'), [module.href], (line) => {
      this.#lines.push(line)
      this.#onLine()
    })
    this.#ended = new Promise((_, reject) => {
      this.#child.once('close', (code, signal) => reject(new Error(`The process ended with ${code ?? signal}.`)))
    })
    // The rejection is also seen by code that waits for a line.
    void Promise.allSettled([this.#ended])
  }

  /** Start a process that imports the module of a backend. Resolves when the process accepts orders. */
  static async start(module: URL): Promise<OrderedProcess> {
    const started = new OrderedProcess(module)
    await started.#line()
    return started
  }

  /** Store this many keys in parallel in the scope `shared`, each with the content that `soakContent` returns. */
  async store(config: unknown, count: number): Promise<readonly OrderedStore[]> {
    this.#send({ kind: 'store', config, count })
    return JSON.parse(await this.#line()) as OrderedStore[]
  }

  /** Repeatedly evict entries that were not used since a time. Resolves when the first entry was listed. */
  async startEvicting(config: unknown, unusedSince: number): Promise<void> {
    this.#send({ kind: 'evict', config, unusedSince })
    await this.#line()
  }

  /** Stop evicting, and wait for the end of the last pass. */
  async stopEvicting(): Promise<void> {
    this.#send({ kind: 'stop' })
    await this.#line()
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #send(order: Order): void {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  async #line(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift()
      if (line !== undefined) return line
      const next = new Promise<void>((resolve) => (this.#onLine = resolve))
      await Promise.race([next, this.#ended])
    }
  }
}
