/** A compression codec. If the runtime supports it, both methods run outside the event loop. */
export interface BlockCodec {
  /** Compress bytes. The meaning of `level` depends on codec and runtime. It may be ignored. */
  compress(bytes: Uint8Array, level: number): Promise<Uint8Array>
  /**
   * Decompress up to `maxBytes`. Returns `undefined` if the bytes are damaged or exceed the limit. Before Node.js 24,
   * incomplete Zstandard gives only the start of the content.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>
}
