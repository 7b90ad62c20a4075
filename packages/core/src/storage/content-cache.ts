import { RecencyMap } from '@spillway/text/internal'

/** Bytes of content that a process remembers unless {@link setContentCacheBytes} says otherwise. */
export const DEFAULT_CONTENT_CACHE_BYTES = 33_554_432

/** Something that is remembered as long as there is room. */
export interface CachePiece {
  readonly bytes: number
  /** Called when the cache forgets it, to make room. */
  readonly forget: () => void
}

/** A budget of bytes for what is remembered: the least recently used goes first. */
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

  /** Bytes of what is remembered now. */
  get bytes(): number {
    return this.#bytes
  }

  /** Change the budget, and forget what is beyond it. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#makeRoom()
  }

  /** Remember a piece as the one used last. A piece that is larger than the budget is forgotten at once. */
  add(piece: CachePiece): void {
    this.#pieces.set(piece, undefined)
    this.#bytes += piece.bytes
    this.#makeRoom()
  }

  /** Note that a piece was used; nothing happens to one that is not remembered. */
  use(piece: CachePiece): void {
    if (this.#pieces.has(piece)) this.#pieces.set(piece, undefined)
  }

  /** Give up a piece that its owner needs no more. */
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

/** The cache that all storages of a process share. */
export const contentCache: ContentCache = new ContentCache(DEFAULT_CONTENT_CACHE_BYTES)

/**
 * Set how many bytes of stored content this process remembers, so that further questions about them need no backend: 32
 * MiB unless set, 0 for none.
 *
 * It holds for all storages of the process at once, and what is beyond it is forgotten now. The least recently used goes
 * first. Content that lives in the memory of the process anyway is not remembered again.
 *
 * @throws TypeError where it is no number of bytes, 0 or more.
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
