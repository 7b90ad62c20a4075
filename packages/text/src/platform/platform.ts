export interface Sha256 {
  /** Add bytes; they may be reused afterwards. */
  update(bytes: Uint8Array): void
  /** Return the digest of 32 bytes; call it once. */
  digest(): Promise<Uint8Array>
}

export interface PatternFlags {
  readonly ignoreCase: boolean
  /** Whether to match by code points, like the flag `u`, instead of by UTF-16 units. */
  readonly unicode: boolean
}

export interface PatternLimits {
  /** Milliseconds of matching over all calls, plus 20 for each million UTF-16 units. */
  readonly deadlineMs: number
  /** Identity of the caller: callers are served in turn. */
  readonly caller?: unknown
}

/** In longer lines, in UTF-16 units, all matches count; in others only the first. */
export const LONG_LINE_LENGTH = 4_096

/** Runs one pattern over batches of lines without blocking the event loop. */
export interface PatternMatcher {
  /** Maximum UTF-16 units of a call of {@link PatternMatcher.match}. */
  readonly maxTextLength: number
  /**
   * Match each line of `text`. A CR before an LF is not part of the line. Returns three numbers for each match: the
   * index of the line, and the match's start and end in UTF-16 units from the line's start. Lines over
   * {@link LONG_LINE_LENGTH} have all their matches that are not empty, other lines only the first. Only look-behind
   * sees text before `from`. Rejects with a {@link PatternError}, or with the reason of `signal`.
   */
  match(text: string, from?: number, signal?: AbortSignal): Promise<Uint32Array>
}

export interface PatternProgress {
  /** UTF-16 units that were matched, up to the start of a line. */
  readonly matched: number
  /** Hits in the matched units, as returned by {@link PatternMatcher.match}. */
  readonly hits: Uint32Array
}

/** Reason that a pattern could not be matched: a timeout, too much work for the engine, or unsupported syntax. */
export type PatternErrorCode = 'timeout' | 'too-complex' | 'unsupported'

/**
 * Report a pattern that cannot be matched; the message has the reason.
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
  /** Progress of this call in its text. Set with `timeout`. Results of earlier calls stay valid. */
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

/** Returns the error for patterns that no linear engine supports, if they cannot be stopped. */
export function noWorkers(cause?: unknown): PatternError {
  const message = 'This runtime cannot start workers, so look-around and backreferences must be fast on every line.'
  return new PatternError('unsupported', message, { cause })
}

/** A program outside the calling thread that can be terminated at any time. */
export interface IsolatedProgram {
  /** Send a message and return its answer. Rejects with an {@link IsolationError}. */
  run(message: unknown, deadlineMs: number): Promise<unknown>
}

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
