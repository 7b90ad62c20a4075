/** Something that stores blocks of bytes: ours, a raw client, or another library. */
export interface Subject {
  /** Returns the reference. */
  store(key: string, bytes: Uint8Array): Promise<string>
  retrieve(reference: string): Promise<Uint8Array>
  /** Remove all that was stored. */
  clear(): Promise<void>
  close?(): Promise<void>
}
