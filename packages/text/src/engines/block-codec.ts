/** A compression codec. If the runtime supports it, both methods run outside the event loop. */
export interface BlockCodec {
  /** Compress bytes. The meaning of `level` depends on the codec and the runtime, which may ignore it. */
  compress(bytes: Uint8Array, level: number): Promise<Uint8Array>
  /**
   * Decompress up to `maxBytes`. Returns `undefined` if the bytes are damaged or exceed the limit. Before Node.js 24,
   * incomplete Zstandard data gives the start of the content.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>
}
