import type { ContentBlock, MediaBlock, CountTokens } from '@spillway/text/internal'
import type { ToolIntent } from './detect/tool-intent.ts'

/** Options for writing a preview. */
export interface PreviewOptions {
  /** Largest number of tokens, counted by `countTokens`. */
  readonly budgetTokens: number
  readonly countTokens: CountTokens
  /** Whether the tool failed. Then the last lines are preferred. */
  readonly isError?: boolean | undefined
  /** Return the call that shows lines from `start` to `end`, from 1. Return `undefined` if one call is not enough. */
  readonly showLines?: ((start: number, end: number) => string | undefined) | undefined
  /** Return the call that finds a text, for a gap inside a long line. Defaults to `showLines`. */
  readonly showText?: ((text: string) => string) | undefined
  /** Return the call that runs an SQL statement on the table `t`. Absent if SQL is not available. */
  readonly showSql?: ((sql: string) => string) | undefined
}

/** Writes a deterministic preview of read content. If it returns `undefined`, the content is previewed by lines. */
export type WritePreview = (options: PreviewOptions) => string | undefined | Promise<string | undefined>

/** The tool call that returned the content. */
export interface PreviewCall {
  readonly toolName: string
  /** Arguments of the call, as the model wrote them. */
  readonly input: unknown
  /** Intent of the call, read from its arguments. */
  readonly intent: ToolIntent
}

/** Identity of the caller, for fair turns between callers. Only built-in previewers read it. */
export interface Caller {
  readonly caller?: unknown
}

/** Start and metadata of a text, for previewers that have not read the text. */
export interface TextSubject extends PreviewCall {
  /** Declared type, in lowercase and without parameters. `text/plain` if no type is declared. */
  readonly contentType: string
  /** Start of the text, at most 16,384 characters. */
  readonly start: string
  /** Whether `start` is the whole text. Otherwise it may end inside a word. */
  readonly isWhole: boolean
  /** End of the text, at most 4,096 characters. Absent while the text arrives in chunks. */
  readonly end?: string | undefined
}

/** Reads a text in chunks and keeps the data for its preview. */
export interface TextReader {
  /** Add the next chunk. A chunk may end anywhere, even inside a surrogate pair. */
  push(text: string): void
  /** End the text. Return `undefined` if the text is of another kind. Then the next previewer is used. */
  finish(subject: TextSubject): WritePreview | undefined | Promise<WritePreview | undefined>
  /** Number of tokens for this text, like `usualTokens` of the previewer, which has priority. Read after `finish`. */
  readonly usualTokens?: number | undefined
  /** Number of lines of the text, read after `finish`. If it is absent, the lines are counted separately. */
  readonly lines?: number | undefined
}

/** A previewer of one kind of text. */
export interface TextPreviewer {
  /** Name for events. A previewer replaces the built-in previewer of the same name. */
  readonly name: string
  readonly previews: 'text'
  /**
   * Return the confidence from 0 to 1 that the text is of this kind, from the subject alone. The most confident
   * previewer reads the text. If several previewers are equally confident, the first one reads the text.
   *
   * While a text arrives, the method is called without `end`. If it returns more than 0, it is called again at the end.
   */
  readonly recognize: (subject: TextSubject) => number
  /** Start to read a text of this kind. */
  readonly read: (subject: TextSubject) => TextReader
  /** Largest length of a text in UTF-16 units. The next previewer reads longer texts. Defaults to no limit. */
  readonly maxLength?: number | undefined
  /** Number of tokens of a preview if `previewTokens` is not set. Larger previews help little. Defaults to 1,000. */
  readonly usualTokens?: number | undefined
}

/** Metadata of media, for previewers that have not read the bytes. */
export interface MediaSubject extends PreviewCall {
  readonly type: MediaBlock['type']
  readonly mediaType: string
  readonly name?: string | undefined
  readonly size: number
}

/** Information that a previewer read from media. */
export interface MediaPreview {
  /** Short description, for example `800 × 600` or `12 pages`. */
  readonly description?: string | undefined
  /** Content as text. It is stored in addition to the media, can be searched, and is previewed within the budget. */
  readonly text?: string | undefined
  /** Blocks to keep in the context, for example a smaller image. */
  readonly blocks?: readonly ContentBlock[] | undefined
}

/** A previewer of one kind of media. */
export interface MediaPreviewer {
  readonly name: string
  readonly previews: 'media'
  /** Return the confidence from 0 to 1 that the media are of this kind, as for a {@link TextPreviewer}. */
  readonly recognize: (subject: MediaSubject) => number
  /** Read the bytes without changing them. Return `undefined` if the media are of another kind. */
  readonly read: (data: Uint8Array, subject: MediaSubject) => Promise<MediaPreview | undefined>
}

/** A previewer of text or media, for the option `previewers` of offloaders. */
export type Previewer = TextPreviewer | MediaPreviewer
