/** A compression codec. Both directions run outside the event loop if the runtime supports that. */
export interface BlockCodec {
  /** Compress bytes. Codec and runtime define the meaning of `level`, and may ignore it. */
  compress(bytes: Uint8Array, level: number): Promise<Uint8Array>
  /**
   * Decompress up to `maxBytes`. Returns `undefined` if the bytes are damaged or exceed the limit. Before Node.js 24,
   * truncated Zstandard yields the beginning.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>
}
