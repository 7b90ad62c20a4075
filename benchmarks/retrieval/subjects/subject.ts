/** A search: a pattern of JavaScript without flags, one line at a time, a CR before the line end not counted. */
export interface Question {
  readonly pattern: string
  readonly ignoreCase?: boolean | undefined
}

/** What a search tells. */
export interface Answer {
  /** Matching lines of the whole content; absent where it was not answered. */
  readonly matches?: number | undefined
  /** What would be shown to a model. */
  readonly text: string
}

/** Content that is ready to be asked about, as one implementation has it. */
export interface Subject {
  search?(question: Question): Answer | Promise<Answer>
  /** Lines from `start` to `end`, from 1 and inclusive. Absent, or `undefined`, where it cannot be asked. */
  lines?(start: number, end: number): string | undefined | Promise<string | undefined>
  /** What has been asked of the backend so far, where it is counted. */
  backendUse?(): BackendUse
  close?(): Promise<void>
}

/** Calls of a backend, and the bytes that they returned. */
export interface BackendUse {
  readonly calls: number
  readonly bytes: number
}

/** Where content is: the file it was made in, and what an implementation has stored of it. */
export interface Place {
  readonly file: string
  /** A directory of the implementation alone. */
  readonly directory: string
  /** What storing returned; empty where nothing is stored. */
  readonly reference: string
  /** The module that is measured as ours. */
  readonly ours: string
}

/** Lines of context around each hit, for everybody. */
export const CONTEXT_LINES = 5

/** Characters of an answer, about. */
export const MAX_CHARS = 10_000
