import { RecencyMap } from '@spillway/text/internal'

export const MAX_WHOLE_BYTES = 16_777_216
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
 * Set how many bytes of stored content this process caches, for all storages together. Defaults to 32 MiB. 0 turns the
 * cache off.
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
