export interface Sha256 {
  /** Add bytes. The caller may change the bytes afterwards. */
  update(bytes: Uint8Array): void
  /** Return the digest of 32 bytes. Call this method only once. */
  digest(): Promise<Uint8Array>
}

export interface PatternFlags {
  readonly ignoreCase: boolean
  /** Whether to match by code points, like the flag `u`. Otherwise matches by UTF-16 units. */
  readonly unicode: boolean
}

export interface PatternLimits {
  /** Milliseconds for all calls of the matcher together, plus 20 for each million UTF-16 units. */
  readonly deadlineMs: number
  readonly caller?: unknown
}

/** Length of a line in UTF-16 units above which all its matches count. In other lines, only the first match counts. */
export const LONG_LINE_LENGTH = 4_096

/** Runs one pattern over batches of lines without blocking the event loop. */
export interface PatternMatcher {
  /**
   * Match each line of `text`. A CR before an LF is not part of the line. Returns three numbers for each match: the
   * index of the line, and the start and end of the match, in UTF-16 units from the start of the line. A line over
   * {@link LONG_LINE_LENGTH} has all matches that are not empty, another line only the first match. Only look-behind
   * uses the text before `from`. Rejects with a {@link PatternError}, or with the reason of `signal`.
   */
  match(text: string, from?: number, signal?: AbortSignal): Promise<Uint32Array>
}

/** Reason why a pattern could not be matched: a timeout, too much work for the engine, or unsupported syntax. */
export type PatternErrorCode = 'timeout' | 'too-complex' | 'unsupported'

/** An error for a pattern that cannot be matched. The message has the reason. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
  readonly code: PatternErrorCode

  constructor(code: PatternErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Create the error for a pattern with look-around or backreferences in a runtime that cannot stop it. */
export function noWorkers(cause?: unknown): PatternError {
  const message = 'This runtime cannot start workers, so look-around and backreferences must be fast on every line.'
  return new PatternError('unsupported', message, { cause })
}

/** A program outside of the calling thread, which can be terminated at any time. */
export interface IsolatedProgram {
  /** Send a message and return its answer. Rejects with an {@link IsolationError}. */
  run(message: unknown, deadlineMs: number): Promise<unknown>
}

/** The error of {@link IsolatedProgram.run}. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError'
  readonly code: 'timeout' | 'ended' | 'unavailable'

  constructor(code: IsolationError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
