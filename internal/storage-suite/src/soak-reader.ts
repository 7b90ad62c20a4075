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
  /** Whether to continue if the backend is unavailable. */
  readonly survives: boolean
  /** Milliseconds after which an operation counts as hanging. */
  readonly limitMs: number
  /** Called for each incomplete entry. */
  readonly onProblem: (problem: string) => void
}

/** Reads the listed entries while others write. Each call of `wake` causes another pass. */
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

  /** Read the entries again, because something was written. */
  wake(): void {
    this.#wake()
  }

  /** Stop reading. Returns the number of entries that were read. */
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
      // A backend that never waits would otherwise block the event loop.
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
