/** A storage for blocks of bytes: ours, a raw client, or another library. */
export interface Subject {
  /** Store bytes. Returns the reference. */
  store(key: string, bytes: Uint8Array): Promise<string>
  retrieve(reference: string): Promise<Uint8Array>
  /** Remove all stored content. */
  clear(): Promise<void>
  close?(): Promise<void>
}
