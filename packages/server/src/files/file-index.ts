import { chooseRecord, fileRecordOf, type FileRecord } from './file-record.ts'
import type { ServedStorage } from './listing-storage.ts'

/** Files of a scope that are remembered, at most. */
const MAX_REMEMBERED = 100_000

/**
 * Remembers which files a scope has, so that finding one costs the same however many there are.
 *
 * It is filled by listing the scope once, and again where a file is asked for that it does not know, as another process may
 * have stored it.
 */
export class FileIndex {
  readonly #storage: ServedStorage
  readonly #maxRemembered: number
  #files = new Map<string, FileRecord>()
  /** What was added since the listing began that is under way. */
  #added = new Map<string, FileRecord>()
  #isWhole = true
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(storage: ServedStorage, maxRemembered: number = MAX_REMEMBERED) {
    this.#storage = storage
    this.#maxRemembered = maxRemembered
  }

  /** Return what is remembered of a path, without asking the storage. */
  peek(path: string): FileRecord | undefined {
    return this.#added.get(path) ?? this.#files.get(path)
  }

  /** Return the file with this path, `undefined` where there is none. Rejects like `list`. */
  async find(path: string): Promise<FileRecord | undefined> {
    const known = this.peek(path)
    if (known !== undefined) return known
    if (!this.#isWhole) return await this.#scanFor(path)
    await this.#renew()
    return this.peek(path) ?? (this.#isWhole ? undefined : await this.#scanFor(path))
  }

  /** Return those files that there are of these paths, by their paths, with one listing at most. Rejects like `list`. */
  async findAll(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, FileRecord>> {
    const found = new Map<string, FileRecord>()
    const collect = (): void => {
      for (const path of paths) {
        const file = this.peek(path)
        if (file !== undefined) found.set(path, file)
      }
    }
    collect()
    if (found.size === paths.size) return found
    await this.#renew()
    collect()
    if (found.size === paths.size || this.#isWhole) return found
    for (const [path, file] of (await this.#read(Infinity)).files) if (paths.has(path)) found.set(path, file)
    return found
  }

  /** Return all files of the scope as they are now, in the order of their paths. Rejects like `list`. */
  async list(): Promise<readonly FileRecord[]> {
    await this.#renew()
    if (!this.#isWhole) return sorted((await this.#read(Infinity)).files)
    return sorted(new Map([...this.#files, ...this.#added]))
  }

  /** Remember a file that was stored. */
  add(file: FileRecord): void {
    this.#added.set(file.path, file)
    if (this.#added.size <= this.#maxRemembered) return
    const [oldest] = this.#added.keys()
    this.#added.delete(oldest!)
    this.#isWhole = false
  }

  /** Forget a file that turned out to be gone. */
  forget(file: FileRecord): void {
    if (this.#added.get(file.path)?.reference === file.reference) this.#added.delete(file.path)
    if (this.#files.get(file.path)?.reference === file.reference) this.#files.delete(file.path)
  }

  /** List the scope, once for all who ask before it begins. */
  async #renew(): Promise<void> {
    this.#next ??= Promise.allSettled([this.#running]).then(async () => {
      this.#next = undefined
      const listing = this.#list()
      this.#running = listing
      await listing
    })
    await this.#next
  }

  async #list(): Promise<void> {
    const before = this.#added
    this.#added = new Map()
    try {
      const { files, isWhole } = await this.#read(this.#maxRemembered)
      this.#files = files
      this.#isWhole = isWhole
    } catch (error) {
      this.#added = new Map([...before, ...this.#added])
      throw error
    }
  }

  async #read(most: number): Promise<{ readonly files: Map<string, FileRecord>; readonly isWhole: boolean }> {
    const files = new Map<string, FileRecord>()
    let isWhole = true
    for await (const info of this.#storage.list({ below: false })) {
      const file = fileRecordOf(info)
      const other = files.get(file.path)
      if (other === undefined && files.size >= most) {
        isWhole = false
        continue
      }
      files.set(file.path, other === undefined ? file : chooseRecord(other, file))
    }
    return { files, isWhole }
  }

  async #scanFor(path: string): Promise<FileRecord | undefined> {
    let found: FileRecord | undefined
    for await (const info of this.#storage.list({ below: false })) {
      const file = fileRecordOf(info)
      if (file.path === path) found = found === undefined ? file : chooseRecord(found, file)
    }
    return found
  }
}

const sorted = (files: ReadonlyMap<string, FileRecord>): readonly FileRecord[] =>
  [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
