import { chooseRecord, fileRecordOf, type FileRecord } from './file-record.ts'
import type { ServedStorage } from './listing-storage.ts'

/** Files of a scope that are remembered, at most. */
const MAX_REMEMBERED = 100_000
/** For so long a listing asks only for what is new. What has gone meanwhile shows where it is used. */
const TRUSTED_MS = 60_000

/** Options of {@link FileIndex}. */
export interface FileIndexOptions {
  readonly maxRemembered?: number | undefined
  /** Milliseconds after which a listing asks for all files again. */
  readonly trustedMs?: number | undefined
}

/**
 * Remembers which files a scope has, so that finding one costs the same however many there are.
 *
 * It is filled by listing the scope once, and again where a file is asked for that it does not know, as another process may
 * have stored it. A listing soon after another names only what has come since, so that it costs that and not what is stored.
 */
export class FileIndex {
  readonly #storage: ServedStorage
  readonly #maxRemembered: number
  readonly #trustedMs: number
  #files = new Map<string, FileRecord>()
  /** What was added since the listing began that is under way. */
  #added = new Map<string, FileRecord>()
  #isWhole = true
  /** Until when what is remembered counts as what there is. */
  #trustedUntil = Number.NEGATIVE_INFINITY
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(
    storage: ServedStorage,
    { maxRemembered = MAX_REMEMBERED, trustedMs = TRUSTED_MS }: FileIndexOptions = {},
  ) {
    this.#storage = storage
    this.#maxRemembered = maxRemembered
    this.#trustedMs = trustedMs
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

  /**
   * Return all files of the scope, in the order of their paths; some may have gone a short time ago, and are to be forgotten
   * by whoever finds out. Rejects like `list`.
   */
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

  /** Forget a file that turned out to be gone. What else has gone the next listing shows. */
  forget(file: FileRecord): void {
    this.#trustedUntil = Number.NEGATIVE_INFINITY
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
    const now = performance.now()
    const hasRoom = this.#files.size + this.#added.size <= this.#maxRemembered
    if (this.#isWhole && hasRoom && now < this.#trustedUntil) return await this.#listNew()
    const before = this.#added
    this.#added = new Map()
    try {
      const { files, isWhole } = await this.#read(this.#maxRemembered)
      this.#files = files
      this.#isWhole = isWhole
      this.#trustedUntil = now + this.#trustedMs
    } catch (error) {
      this.#added = new Map([...before, ...this.#added])
      throw error
    }
  }

  /** Add what others have stored since the listing before. */
  async #listNew(): Promise<void> {
    for (const file of this.#added.values()) this.#files.set(file.path, file)
    this.#added.clear()
    const except = new Set(Array.from(this.#files.values(), ({ reference }) => reference))
    for await (const info of this.#storage.list({ below: false, except })) {
      if (this.#keep(this.#files, fileRecordOf(info), this.#maxRemembered)) continue
      this.#isWhole = false
      return
    }
  }

  /** Add a file, unless there is another of its path that comes first; tell whether there was room for it. */
  #keep(files: Map<string, FileRecord>, file: FileRecord, most: number): boolean {
    const other = files.get(file.path)
    if (other === undefined && files.size >= most) return false
    files.set(file.path, other === undefined ? file : chooseRecord(other, file))
    return true
  }

  async #read(most: number): Promise<{ readonly files: Map<string, FileRecord>; readonly isWhole: boolean }> {
    const files = new Map<string, FileRecord>()
    let isWhole = true
    for await (const info of this.#storage.list({ below: false })) {
      if (!this.#keep(files, fileRecordOf(info), most)) isWhole = false
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
