/** One way to compress. Both directions run beside the event loop where the runtime has a place for that. */
export interface BlockCodec {
  /** Compress bytes. What the numbers of `level` mean, and whether they mean anything, is for the codec and the runtime. */
  compress(bytes: Uint8Array, level: number): Promise<Uint8Array>
  /**
   * Decompress up to `maxBytes`; `undefined` for what is damaged or would become more. Zstandard before Node.js 24 returns
   * the beginning of what is cut off: whoever knows the length compares it.
   */
  decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>
}
