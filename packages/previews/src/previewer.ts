import type { ContentBlock, MediaBlock, CountTokens } from '@spillway/text/internal'
import type { ToolIntent } from './detect/tool-intent.ts'

/** Options for writing a preview. */
export interface PreviewOptions {
  /** Largest number of tokens, by `countTokens`. */
  readonly budgetTokens: number
  readonly countTokens: CountTokens
  /** Whether the tool failed: the last lines of an error come first. */
  readonly isError?: boolean | undefined
  /** Return the call that shows lines, 1-based and inclusive. If absent, gaps only count lines. */
  readonly showLines?: ((start: number, end: number) => string) | undefined
  /** Return the call that finds a text, for a gap within a long line. Defaults to `showLines`. */
  readonly showText?: ((text: string) => string) | undefined
  /** Return the call that runs a statement over the table `t`; absent if there is no SQL. */
  readonly showSql?: ((sql: string) => string) | undefined
}

/** Write the preview of read content, deterministically. `undefined` leaves it to the preview by lines. */
export type WritePreview = (options: PreviewOptions) => string | undefined | Promise<string | undefined>

/** The tool call that returned the content. */
export interface PreviewCall {
  readonly toolName: string
  /** Arguments of the call, as the model wrote them. */
  readonly input: unknown
  /** Intent of the call, read from its arguments. */
  readonly intent: ToolIntent
}

/** Start and metadata of a text before all of it is read. */
export interface TextSubject extends PreviewCall {
  /** Declared type, in lowercase and without parameters. Defaults to `text/plain`. */
  readonly contentType: string
  /** Start of the text, at most 16,384 characters. */
  readonly start: string
  /** Whether `start` is the whole text. If not, it may end within a word. */
  readonly isWhole: boolean
  /** End of the text, at most 4,096 characters; absent while the text arrives. */
  readonly end?: string | undefined
}

/** Reads a text in pieces and keeps the data for its preview. */
export interface TextReader {
  /** Add the next piece, which may be cut anywhere, even between surrogates. */
  push(text: string): void
  /**
   * End the text; `subject` now has its end. Returns `undefined` if the text is of another kind: the next previewer
   * then reads it.
   */
  finish(subject: TextSubject): WritePreview | undefined | Promise<WritePreview | undefined>
  /** Used for this text if the previewer has no number. Read after `finish`. */
  readonly usualTokens?: number | undefined
}

/** A previewer of one kind of text. */
export interface TextPreviewer {
  /** Name in events. It replaces a built-in previewer of the same name. */
  readonly name: string
  readonly previews: 'text'
  /**
   * Rate from 0 to 1 how sure it is that a text is of this kind, by the subject only. The surest previewer reads the
   * text; the first one wins a tie.
   *
   * An arriving text is rated without its `end`, then again at the end if the first rate was above 0.
   */
  readonly recognize: (subject: TextSubject) => number
  /** Start to read a text of this kind. */
  readonly read: (subject: TextSubject) => TextReader
  /** Longest text in UTF-16 units; longer ones go to the next previewer. Defaults to any length. */
  readonly maxLength?: number | undefined
  /**
   * Number of tokens beyond which a preview gains little. Limits previews of offloaders without `previewTokens`.
   * Defaults to 1,000.
   */
  readonly usualTokens?: number | undefined
}

/** Metadata of media before their bytes are read. */
export interface MediaSubject extends PreviewCall {
  readonly type: MediaBlock['type']
  readonly mediaType: string
  readonly name?: string | undefined
  readonly size: number
}

/** Data that a previewer read from media. */
export interface MediaPreview {
  /** Short description, for example `800 × 600` or `12 pages`. */
  readonly description?: string | undefined
  /** Content as text, stored beside the media for search, and previewed within the budget. */
  readonly text?: string | undefined
  /** Blocks that stay in the context, for example a smaller image. */
  readonly blocks?: readonly ContentBlock[] | undefined
}

/** A previewer of one kind of media. */
export interface MediaPreviewer {
  readonly name: string
  readonly previews: 'media'
  /** Rate media like a {@link TextPreviewer}. */
  readonly recognize: (subject: MediaSubject) => number
  /** Read the bytes without changing them. Returns `undefined` if the media are of another kind. */
  readonly read: (data: Uint8Array, subject: MediaSubject) => Promise<MediaPreview | undefined>
}

/** A previewer of text or media, for the option `previewers` of offloaders. */
export type Previewer = TextPreviewer | MediaPreviewer
