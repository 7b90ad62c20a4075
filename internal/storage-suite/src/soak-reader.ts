import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { StorageError, type ManagedStorage } from '@spillway/core/driver'
import { describeError } from './describe-error.ts'
import { isSoakContent } from './soak-content.ts'
import { SCOPES, type SoakScope } from './soak-scopes.ts'
import { withinLimit } from './time-limit.ts'

const SAMPLE = 0.2
const AFTER_OUTAGE_MS = 20

/** Options of a reader. */
export interface SoakReaderOptions {
  /** Whether to go on if the backend is unavailable. */
  readonly survives: boolean
  /** Milliseconds after which an operation counts as hanging. */
  readonly limitMs: number
  /** Called with each entry that is not whole. */
  readonly onProblem: (problem: string) => void
}

/** Reads the listed entries while others write: once more after each sign that something was written. */
export class SoakReader {
  readonly #storage: ManagedStorage
  readonly #options: SoakReaderOptions
  readonly #reading: Promise<void>
  #isOver = false
  #reads = 0
  #wake = (): void => {}

  constructor(storage: ManagedStorage, options: SoakReaderOptions) {
    this.#storage = storage
    this.#options = options
    this.#reading = this.#readOn().catch((error: unknown) =>
      options.onProblem(`the reader failed: ${describeError(error)}`),
    )
  }

  /** Read once more, since something was written. */
  wake(): void {
    this.#wake()
  }

  /** Stop reading, and return how many entries were read. */
  async end(): Promise<number> {
    this.#isOver = true
    this.wake()
    await this.#reading
    await this.#storage.close()
    return this.#reads
  }

  async #readOn(): Promise<void> {
    while (!this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
      for (const segments of Object.values(SCOPES)) {
        await nextTurn()
        try {
          await this.#readScope(this.#storage.scope(...segments))
        } catch (error) {
          const isOutage = StorageError.isInstance(error) && error.code === 'unavailable'
          if (!isOutage || !this.#options.survives) throw error
          await delay(AFTER_OUTAGE_MS)
        }
      }
    }
  }

  async #readScope(scope: SoakScope): Promise<void> {
    for await (const { reference, key, size } of scope.list()) {
      // Backends that never wait for anything would never let this process do anything else.
      await nextTurn()
      if (this.#isOver) return
      if (Math.random() > SAMPLE && !key.startsWith('contended')) continue
      try {
        const found = await withinLimit('retrieve', this.#options.limitMs, scope.retrieve(reference))
        if (!isSoakContent(key, found) || found.content.length !== size)
          this.#options.onProblem(`torn ${reference} ${key}`)
        this.#reads += 1
      } catch (error) {
        if (!StorageError.isInstance(error) || error.code === 'unavailable') throw error
        if (error.code !== 'not-found' && error.code !== 'evicted') this.#options.onProblem(describeError(error))
      }
    }
  }
}
