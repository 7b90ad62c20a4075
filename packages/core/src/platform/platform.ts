/** An incremental SHA-256. */
export interface Sha256 {
  /** Add bytes; they may be reused once this returns. */
  update(bytes: Uint8Array): void
  /** The 32 bytes of the digest; call it once. */
  digest(): Promise<Uint8Array>
}

/** One pattern to run over batches of lines, away from the event loop. */
export interface PatternMatcher {
  /**
   * Match each line of `text` (lines end at LF; a CR before it is not part of the line).
   * Returns a flat array with three numbers for each matching line: its index in `text` from 0, and the start and end
   * of the first match in UTF-16 units from the start of the line. Rejects with a `PatternTimeoutError` once the time
   * given to the matcher as a whole is spent.
   */
  match(text: string): Promise<Uint32Array>
  /** Release the worker. */
  close(): Promise<void>
}
