/** An incremental SHA-256. */
export interface Sha256 {
  /** Add bytes; they may be reused once this returns. */
  update(bytes: Uint8Array): void
  /** The 32 bytes of the digest; call it once. */
  digest(): Promise<Uint8Array>
}

/** How a pattern is read. */
export interface PatternFlags {
  readonly ignoreCase: boolean
  /** Whether it is matched by code points, as with the flag `u`, and not by UTF-16 units. */
  readonly unicode: boolean
}

/** In a line of more UTF-16 units than this, every match counts; in others only the first. */
export const LONG_LINE_LENGTH = 4_096

/** One pattern to run over batches of lines without holding the event loop. */
export interface PatternMatcher {
  /** UTF-16 units that one call of {@link PatternMatcher.match} takes at most. */
  readonly maxTextLength: number
  /**
   * Match each line of `text` (lines end at LF; a CR before it is not part of the line).
   *
   * Returns a flat array with three numbers for each matching line: its index in `text` from 0, and the start and end
   * of the first match in UTF-16 units from the start of the line. Of a line longer than {@link LONG_LINE_LENGTH} the
   * further matches follow in the same way, those of nothing at all left out. Rejects with a {@link PatternError}, and with the
   * reason of `signal` once that has fired: the work for it ends then.
   *
   * @param from - Where the search begins in the first line; what is before it is seen by look-behind only.
   */
  match(text: string, from?: number, signal?: AbortSignal): Promise<Uint32Array>
}

/** How far a matcher came in a text before its time was spent. */
export interface PatternProgress {
  /** UTF-16 units of the text that were matched: the start of a line, at which nothing is known yet. */
  readonly matched: number
  /** What was found before it, as {@link PatternMatcher.match} returns it. */
  readonly hits: Uint32Array
}

/** Why a pattern could not be matched: its time is spent, or it needs too much of an engine, or more than this one has. */
export type PatternErrorCode = 'timeout' | 'too-complex' | 'unsupported'

/**
 * A pattern that is at fault: the message says in which way.
 *
 * @example
 * ```ts
 * import { PatternError } from '@spillway/core/files'
 *
 * const error = new PatternError('too-complex', 'The pattern needs too much memory.')
 * console.assert(error.code === 'too-complex')
 * ```
 */
export class PatternError extends Error {
  override readonly name = 'PatternError'
  readonly code: PatternErrorCode
  /** Set with `timeout`: how far it came in the text of this call. What earlier calls returned is not affected. */
  readonly progress?: PatternProgress

  constructor(
    code: PatternErrorCode,
    message: string,
    { progress, ...options }: ErrorOptions & { readonly progress?: PatternProgress } = {},
  ) {
    super(message, options)
    this.code = code
    if (progress !== undefined) this.progress = progress
  }
}

/** A program that runs beside the thread that uses it and can be ended at any time. */
export interface IsolatedProgram {
  /** Send a message and return the one answer. Rejects with an {@link IsolationError}. */
  run(message: unknown, deadlineMs: number): Promise<unknown>
}

/**
 * Why an isolated program gave no answer: its time is spent, it ended or took too much memory, or it cannot be started
 * here.
 */
type IsolationErrorCode = 'timeout' | 'ended' | 'unavailable'

/** Rejection of {@link IsolatedProgram.run}. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError'
  readonly code: IsolationErrorCode

  constructor(code: IsolationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
