import {
  assertKnownOptions,
  parseJournalEvents,
  shown,
  type EventJournal,
  type JournalEvent,
} from '@spillway/core/driver'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../file-system.ts'
import { resolvedDirectory } from '../paths.ts'

const DEFAULT_MAX_BYTES = 10 * 1_048_576
const KEPT_FILES = 2
const FILE_NAME = /^events-(\d+)\.jsonl$/

/**
 * Keep a journal in JSON Lines files named `events-1.jsonl` and so on. Several processes can append to it.
 *
 * After `maxBytes` (10 MiB by default), a new file is started. The two latest files are kept. Each append writes whole
 * records. If a process was killed, its incomplete record is skipped. Appending rejects if a file cannot be written.
 *
 * @throws TypeError if an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader, summarizeJournal } from '@spillway/core'
 * import { FileJournal, FileStorage } from '@spillway/file'
 *
 * const journal = new FileJournal('./artifacts/.journal')
 * const offloader = new ContextOffloader({ storage: new FileStorage('./artifacts'), journal })
 * const text = 'a line of a log\n'.repeat(5_000)
 * await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text }] })
 * await journal.close()
 * console.assert((await summarizeJournal(journal)).total.offloaded === 1)
 * ```
 */
export class FileJournal implements EventJournal {
  readonly #directory: string
  readonly #maxBytes: number
  #number: number | undefined
  #pending = ''
  #writing: Promise<void> | undefined

  constructor(directory: string, options: { readonly maxBytes?: number | undefined } = {}) {
    assertKnownOptions(options, ['maxBytes'], 'FileJournal')
    const { maxBytes = DEFAULT_MAX_BYTES } = options
    if (!(typeof maxBytes === 'number' && maxBytes > 0))
      throw new TypeError(`maxBytes must be a positive number of bytes, got ${shown(maxBytes)}.`)
    this.#directory = resolvedDirectory(directory)
    this.#maxBytes = maxBytes
  }

  append(event: JournalEvent): Promise<void> {
    // The first newline ends an earlier record that may be incomplete.
    this.#pending += `\n${JSON.stringify(event)}\n`
    return (this.#writing ??= this.#write())
  }

  async *read(since?: number): AsyncGenerator<JournalEvent> {
    await Promise.allSettled([this.#writing])
    for (const number of await this.#numbers()) {
      const text = await unless('ENOENT', readFile(this.#path(number), 'utf8'))
      yield* parseJournalEvents(text?.split('\n').filter(Boolean) ?? [], since)
    }
  }

  /** Wait until all events are written, or writing them has failed. No file is kept open between writes. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing])
  }

  async #write(): Promise<void> {
    try {
      while (this.#pending !== '') {
        const records = Buffer.from(this.#pending)
        this.#pending = ''
        this.#number ??= await this.#newest(1)
        while (!(await this.#append(this.#number, records))) this.#number = await this.#newest(this.#number + 1)
      }
    } finally {
      this.#pending = ''
      this.#writing = undefined
    }
  }

  /** Returns `false` if the file is full. Files are never renamed, so that all processes use the same names. */
  async #append(number: number, records: Buffer): Promise<boolean> {
    const handle = await open(this.#path(number), 'a', 0o600)
    try {
      if ((await handle.stat()).size >= this.#maxBytes) return false
      const { bytesWritten } = await handle.write(records)
      if (bytesWritten < records.length) throw new Error(`The disk of ${this.#directory} is full.`)
      return true
    } finally {
      await handle.close()
    }
  }

  /** Returns the newest file's number, at least `least`, and removes files that are too old. */
  async #newest(least: number): Promise<number> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    const numbers = await this.#numbers()
    const newest = Math.max(least, numbers.at(-1) ?? 0)
    for (const number of numbers) if (number <= newest - KEPT_FILES) await rm(this.#path(number), { force: true })
    return newest
  }

  async #numbers(): Promise<number[]> {
    const names = (await unless('ENOENT', readdir(this.#directory))) ?? []
    return names
      .flatMap((name) => Number(FILE_NAME.exec(name)?.[1] ?? []))
      .filter(Boolean)
      .sort((a, b) => a - b)
  }

  #path(number: number): string {
    return join(this.#directory, `events-${number}.jsonl`)
  }
}
