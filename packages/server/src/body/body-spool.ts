/** Where bodies are kept while they arrive, such as files: slow clients then hold no memory. */
export interface BodySpool {
  /** Make room for one body. Rejects with an `HttpError` `overloaded` where there is none. */
  open(): Promise<SpooledBody>
}

/** What has arrived of one body. */
export interface SpooledBody {
  /** Append bytes. Rejects with an `HttpError` `overloaded` where there is no room for them. */
  write(chunk: Uint8Array): Promise<void>
  /** Return all that was written. */
  read(): Promise<Uint8Array>
  /** Remove it. Removing it twice is fine. */
  remove(): Promise<void>
}
