import { BoundedMap } from '@spillway/text/internal'
import type { EntryId } from '../storage/reference.ts'
import type {
  CollectReport,
  DriverContent,
  DriverEntry,
  DriverListOptions,
  EntryInfo,
  NewEntryInfo,
  OpenEntry,
  WrittenEntry,
  CompleteDriver,
  WrapperKind,
} from '../storage/storage-driver.ts'
import { StorageError, type Eviction } from '../storage/storage-error.ts'
import type { ByteRange } from '../storage/storage.ts'

const MAX_NOTED = 1_000

/**
 * Base class of drivers that encode the entries of another driver. `locate` is missing, because a shell would read
 * encoded bytes. If this process found an entry `corrupt`, storing it again first removes it, and so repairs it.
 */
export abstract class WrappedDriver implements CompleteDriver {
  readonly inner: CompleteDriver
  readonly layers: readonly WrapperKind[]
  readonly ephemeral: boolean
  readonly refreshMs: number
  readonly touchFirstBytes: number
  readonly tellsCreated: boolean
  readonly collectsHourly: boolean
  /** Decoding is slow, so core should cache the result. */
  readonly isInMemory = false
  readonly #corrupt = new BoundedMap<EntryId, true>(MAX_NOTED)

  constructor(inner: CompleteDriver, kind: WrapperKind) {
    this.inner = inner
    this.layers = [kind, ...inner.layers]
    this.ephemeral = inner.ephemeral
    this.refreshMs = inner.refreshMs
    this.touchFirstBytes = inner.touchFirstBytes
    this.tellsCreated = inner.tellsCreated
    this.collectsHourly = inner.collectsHourly
  }

  protected abstract encode(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<WrittenEntry>
  protected abstract decode(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined>
  protected abstract decodeOpen(id: EntryId): Promise<OpenEntry | undefined>
  protected abstract describe(id: EntryId): Promise<EntryInfo | undefined>
  abstract list(prefix: string, options?: DriverListOptions): AsyncIterable<DriverEntry>

  protected async innerId(id: EntryId): Promise<EntryId> {
    return id
  }

  /** Write an entry. A corrupt entry that was replaced counts as existing before. */
  async write(
    id: EntryId,
    chunks: AsyncIterable<Uint8Array>,
    info: NewEntryInfo,
    lineIndex?: () => string | undefined,
  ): Promise<WrittenEntry> {
    return await this.#watch(id, async () => {
      const wasThere = this.#isCorrupt(id) && (await this.remove(id))
      const written = await this.encode(id, chunks, info, lineIndex)
      return wasThere ? { ...written, created: false } : written
    })
  }

  async read(id: EntryId, range?: ByteRange): Promise<DriverContent | undefined> {
    const found = await this.#watch(id, () => this.decode(id, range))
    if (found !== undefined && range === undefined) this.#corrupt.delete(id)
    return found
  }

  async remove(id: EntryId): Promise<boolean> {
    const wasThere = await this.inner.remove(await this.innerId(id))
    this.#corrupt.delete(id)
    return wasThere
  }

  async stat(id: EntryId): Promise<EntryInfo | undefined> {
    return await this.#watch(id, () => this.describe(id))
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    const entry = await this.#watch(id, () => this.decodeOpen(id))
    if (entry === undefined) return undefined
    return {
      info: entry.info,
      read: (range, buffer) => this.#watch(id, () => entry.read(range, buffer)),
      close: () => entry.close(),
    }
  }

  async touch(id: EntryId, lastUsedAt: number): Promise<number | null | undefined> {
    return this.#isCorrupt(id) ? undefined : await this.inner.touch(await this.innerId(id), lastUsedAt)
  }

  async evict(id: EntryId, unusedSince: number, eviction?: Eviction): Promise<boolean> {
    return await this.inner.evict(await this.innerId(id), unusedSince, eviction)
  }

  async findEviction(id: EntryId): Promise<Eviction | undefined> {
    return await this.inner.findEviction(await this.innerId(id))
  }

  removeAll(prefix: string): AsyncIterable<EntryId> {
    return this.inner.removeAll(prefix)
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    return await this.inner.collect(prefix, now)
  }

  async close(): Promise<void> {
    await this.inner.close()
  }

  #isCorrupt(id: EntryId): boolean {
    return this.#corrupt.get(id) !== undefined
  }

  async #watch<Answer>(id: EntryId, run: () => Promise<Answer>): Promise<Answer> {
    try {
      return await run()
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'corrupt') this.#corrupt.set(id, true)
      throw error
    }
  }
}
