/** A search: a JavaScript pattern without flags, applied to each line. A CR before the line end is ignored. */
export interface Question {
  readonly pattern: string
  readonly ignoreCase?: boolean | undefined
}

/** The answer of a search. */
export interface Answer {
  /** Matching lines of the whole content; absent if the answer does not state it. */
  readonly matches?: number | undefined
  /** Text for a model. */
  readonly text: string
}

/** Content that an implementation has opened. */
export interface Subject {
  search?(question: Question): Answer | Promise<Answer>
  /** Lines from `start` to `end`, from 1 and inclusive. Absent, or `undefined`, if they cannot be read. */
  lines?(start: number, end: number): string | undefined | Promise<string | undefined>
  /** Calls of the backend so far, if they are counted. */
  backendUse?(): BackendUse
  close?(): Promise<void>
}

/** Calls of a backend, and the bytes that they returned. */
export interface BackendUse {
  readonly calls: number
  readonly bytes: number
}

/** The file of a content, and its stored copy in an implementation. */
export interface Place {
  readonly file: string
  /** A separate directory of the implementation. */
  readonly directory: string
  /** The reference that storing returned; empty if nothing is stored. */
  readonly reference: string
  /** The module that is measured as ours. */
  readonly ours: string
}

/** Lines of context around each hit, for all implementations. */
export const CONTEXT_LINES = 5

/** Approximate limit of an answer in characters. */
export const MAX_CHARS = 10_000
