import { copyBytes, LINE_BLOCK_BYTES, RecencyMap, type LineIndex } from '@spillway/text/internal'
import type { ByteRange } from './storage.ts'

export const MAX_WHOLE_BYTES = 16_777_216
/** Longer reads of large content usually pass through it once and are not cached. */
const MAX_KEPT_READ_BYTES = 262_144
const ENTRY_BYTES = 1_024

export interface ContentInfo {
  readonly contentType: string
  readonly size: number
  readonly lineIndex?: string
}

/** Reads from a backend. A shared read gets no caller's abort signal. */
export type LoadBytes = (range: ByteRange, isShared: boolean) => Promise<Uint8Array>

export class CachedContents<Info extends ContentInfo> {
  readonly #cache: ContentCache
  readonly #contents = new Map<string, CachedContent<Info>>()
  #removals = 0

  constructor(cache: ContentCache) {
    this.#cache = cache
  }

  get removals(): number {
    return this.#removals
  }

  find(key: string): CachedContent<Info> | undefined {
    return this.#contents.get(key)
  }

  /** `removals` was read before the backend was asked. If it has changed, `info` may be stale and is not cached. */
  add(key: string, info: Info, checkedAt: number, removals: number): CachedContent<Info> {
    const known = this.#contents.get(key)
    if (known !== undefined && isSame(known.info, info)) {
      known.checked(info, checkedAt)
      return known
    }
    this.#forget(key)
    const isKept = removals === this.#removals && this.#cache.maxBytes > 0
    const content = new CachedContent(info, checkedAt, isKept ? this.#cache : undefined, () =>
      this.#contents.delete(key),
    )
    if (content.isKept) this.#contents.set(key, content)
    return content
  }

  remove(key: string): void {
    this.#removals += 1
    this.#forget(key)
  }

  clear(): void {
    this.#removals += 1
    for (const content of this.#contents.values()) content.release()
    this.#contents.clear()
  }

  #forget(key: string): void {
    this.#contents.get(key)?.release()
    this.#contents.delete(key)
  }
}

export class CachedContent<Info extends ContentInfo> {
  #cache: ContentCache | undefined
  #info: Info
  #checkedAt: number
  readonly #self: CachePiece
  readonly #parts = new Map<number, Part>()
  readonly #loading = new Map<number, Promise<Uint8Array>>()
  #lineIndex: Promise<LineIndex> | undefined

  constructor(info: Info, checkedAt: number, cache: ContentCache | undefined, forget: () => void) {
    this.#info = info
    this.#checkedAt = checkedAt
    this.#cache = cache
    this.#self = {
      // The index is held twice: as text and as numbers of 8 bytes.
      bytes: ENTRY_BYTES + 8 * Math.ceil(info.size / LINE_BLOCK_BYTES) + (info.lineIndex?.length ?? 0),
      forget: () => {
        forget()
        this.release()
      },
    }
    cache?.add(this.#self)
  }

  get info(): Info {
    return this.#info
  }

  get checkedAt(): number {
    return this.#checkedAt
  }

  get isKept(): boolean {
    return this.#cache !== undefined
  }

  checked(info: Info, checkedAt: number): void {
    this.#info = info
    this.#checkedAt = Math.max(checkedAt, this.#checkedAt)
  }

  release(): void {
    const cache = this.#cache
    this.#cache = undefined
    cache?.release(this.#self)
    for (const part of this.#parts.values()) cache?.release(part)
    this.#parts.clear()
    this.#lineIndex = undefined
  }

  lineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    return (this.#lineIndex ??= this.#newLineIndex(make))
  }

  rebuildLineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    return (this.#lineIndex = this.#newLineIndex(make))
  }

  /** Returned bytes are borrowed. */
  async read(offset: number, end: number, load: LoadBytes): Promise<Uint8Array> {
    const cache = this.#cache
    const length = end - offset
    if (cache === undefined || length === 0) return await load({ offset, length }, false)
    cache.use(this.#self)
    if (this.#parts.has(WHOLE) || this.#isWorthWhole(length, cache))
      return (await this.#whole(load)).subarray(offset, end)
    return length > MAX_KEPT_READ_BYTES ? await load({ offset, length }, false) : await this.#blocks(offset, end, load)
  }

  #isWorthWhole(length: number, { maxBytes }: ContentCache): boolean {
    const { size } = this.#info
    if (size > Math.min(MAX_WHOLE_BYTES, maxBytes / 2)) return false
    return length > MAX_KEPT_READ_BYTES || length * 2 >= size || this.#loading.has(WHOLE)
  }

  async #blocks(offset: number, end: number, load: LoadBytes): Promise<Uint8Array> {
    const first = Math.floor(offset / LINE_BLOCK_BYTES)
    const last = Math.floor((end - 1) / LINE_BLOCK_BYTES)
    const isAtHand = (block: number): boolean => this.#parts.has(block) || this.#loading.has(block)
    for (let block = first; block <= last; block++) {
      if (isAtHand(block)) continue
      const start = block
      while (block < last && !isAtHand(block + 1)) block++
      this.#load(start, block, load)
    }
    const blocks: Promise<Uint8Array>[] = []
    for (let block = first; block <= last; block++) blocks.push(this.#atHand(block))
    return join(await Promise.all(blocks), offset - first * LINE_BLOCK_BYTES, end - offset)
  }

  async #whole(load: LoadBytes): Promise<Uint8Array> {
    if (!this.#parts.has(WHOLE) && !this.#loading.has(WHOLE)) {
      const loaded = load({ offset: 0, length: this.#info.size }, true)
      this.#loading.set(WHOLE, this.#loaded(WHOLE, loaded))
    }
    return await this.#atHand(WHOLE)
  }

  #load(first: number, last: number, load: LoadBytes): void {
    const offset = first * LINE_BLOCK_BYTES
    const loaded = load({ offset, length: Math.min((last + 1) * LINE_BLOCK_BYTES, this.#info.size) - offset }, true)
    for (let block = first; block <= last; block++) {
      const start = (block - first) * LINE_BLOCK_BYTES
      const part = loaded.then((bytes) => bytes.subarray(start, start + LINE_BLOCK_BYTES))
      this.#loading.set(block, this.#loaded(block, part))
    }
  }

  async #loaded(number: number, loaded: Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      const bytes = await loaded
      // A view of a larger buffer would keep that whole buffer in memory.
      const content = bytes.byteLength < bytes.buffer.byteLength ? copyBytes(bytes) : bytes
      this.#keep(number, content)
      return content
    } finally {
      this.#loading.delete(number)
    }
  }

  async #atHand(number: number): Promise<Uint8Array> {
    const part = this.#parts.get(number)
    if (part === undefined) return (await this.#loading.get(number)) ?? NOTHING
    this.#cache?.use(part)
    return part.content
  }

  #keep(number: number, content: Uint8Array): void {
    const cache = this.#cache
    if (cache === undefined || this.#parts.has(WHOLE)) return
    if (number === WHOLE) {
      for (const part of this.#parts.values()) cache.release(part)
      this.#parts.clear()
    }
    const part: Part = { content, bytes: content.byteLength, forget: () => void this.#parts.delete(number) }
    this.#parts.set(number, part)
    cache.add(part)
  }

  async #newLineIndex(make: () => Promise<LineIndex>): Promise<LineIndex> {
    try {
      return await make()
    } catch (error) {
      this.#lineIndex = undefined
      throw error
    }
  }
}

interface Part extends CachePiece {
  readonly content: Uint8Array
}

const WHOLE = -1
const NOTHING = new Uint8Array(0)

function join(blocks: readonly Uint8Array[], from: number, length: number): Uint8Array {
  const [only] = blocks
  if (only !== undefined && blocks.length === 1) return only.subarray(from, from + length)
  const joined = new Uint8Array(length)
  let at = -from
  for (const block of blocks) {
    joined.set(block.subarray(Math.max(0, -at), length - at), Math.max(0, at))
    at += block.length
  }
  return joined
}

const isSame = (one: ContentInfo, other: ContentInfo): boolean =>
  one.size === other.size && one.contentType === other.contentType && one.lineIndex === other.lineIndex

export const DEFAULT_CONTENT_CACHE_BYTES = 33_554_432

export interface CachePiece {
  readonly bytes: number
  readonly forget: () => void
}

export class ContentCache {
  readonly #pieces = new RecencyMap<CachePiece, undefined>()
  #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get maxBytes(): number {
    return this.#maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#makeRoom()
  }

  add(piece: CachePiece): void {
    this.#pieces.set(piece, undefined)
    this.#bytes += piece.bytes
    this.#makeRoom()
  }

  use(piece: CachePiece): void {
    if (this.#pieces.has(piece)) this.#pieces.set(piece, undefined)
  }

  release(piece: CachePiece): void {
    if (this.#pieces.delete(piece)) this.#bytes -= piece.bytes
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes) {
      const oldest = this.#pieces.oldestKey
      if (oldest === undefined) return
      this.release(oldest)
      oldest.forget()
    }
  }
}

export const contentCache: ContentCache = new ContentCache(DEFAULT_CONTENT_CACHE_BYTES)

/**
 * Set how many bytes of stored content this process caches, for all its storages. Defaults to 32 MiB; 0 disables the
 * cache.
 *
 * @throws TypeError if `bytes` is not a number of at least 0.
 *
 * @example
 * ```ts
 * import { setContentCacheBytes } from '@spillway/core'
 *
 * setContentCacheBytes(8 * 1024 * 1024)
 * ```
 */
export function setContentCacheBytes(bytes: number): void {
  if (typeof bytes !== 'number' || !(bytes >= 0))
    throw new TypeError(`The content cache takes a number of bytes, 0 or more, got ${String(bytes)}.`)
  contentCache.resize(bytes)
}
