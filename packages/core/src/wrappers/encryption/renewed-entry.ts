import type { OpenEntry } from '../../storage/storage-driver.ts'
import type { ByteRange } from '../../storage/storage.ts'

/** An open entry, and the reads of it that are under way. */
interface Held {
  readonly entry: OpenEntry
  reads: number
}

/**
 * An open entry that can be opened again, where its content was stored again since: what was opened first may remember parts
 * of what was there before.
 */
export class RenewedEntry {
  readonly #open: () => Promise<OpenEntry | undefined>
  #held: Held

  constructor(entry: OpenEntry, open: () => Promise<OpenEntry | undefined>) {
    this.#held = { entry, reads: 0 }
    this.#open = open
  }

  /** Return the bytes in a range of what was opened last. */
  async read(range: ByteRange): Promise<Uint8Array> {
    const held = this.#held
    held.reads += 1
    try {
      return await held.entry.read(range)
    } finally {
      held.reads -= 1
      await this.#closeIfDone(held)
    }
  }

  /** Open the entry again. What has been removed meanwhile stays as it was opened. */
  async renew(): Promise<void> {
    const entry = await this.#open()
    if (entry === undefined) return
    const before = this.#held
    this.#held = { entry, reads: 0 }
    await this.#closeIfDone(before)
  }

  /** Let go of it. Called once, when no read is under way. */
  async close(): Promise<void> {
    await this.#held.entry.close()
  }

  async #closeIfDone(held: Held): Promise<void> {
    // What it says then is of no use to anybody.
    if (held !== this.#held && held.reads === 0) await Promise.allSettled([held.entry.close()])
  }
}
