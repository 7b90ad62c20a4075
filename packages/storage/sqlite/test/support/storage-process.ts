import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** A process that uses one SqliteStorage on request. Its methods return a result, or the code of an error. */
export class StorageProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  constructor(path: string) {
    const script = fileURLToPath(new URL('../scripts/store-and-retrieve.ts', import.meta.url))
    this.#child = spawn(process.execPath, [script, path])
    this.#child.stderr.pipe(process.stderr)
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    onTestFinished(() => this.kill())
  }

  /** Store a key as its own content; return its reference. */
  store(key: string): Promise<string> {
    return this.#ask('store', key)
  }

  /** Return the content of a reference. */
  retrieve(reference: string): Promise<string> {
    return this.#ask('retrieve', reference)
  }

  /** End the process at once, as `kill -9` does. */
  async kill(): Promise<void> {
    if (this.#child.signalCode !== null) return
    this.#child.kill('SIGKILL')
    await once(this.#child, 'close')
  }

  async #ask(method: string, argument: string): Promise<string> {
    this.#child.stdin.write(`${JSON.stringify([method, argument])}\n`)
    const { value } = (await this.#lines.next()) as { readonly value?: string }
    return value ?? 'ended'
  }
}
