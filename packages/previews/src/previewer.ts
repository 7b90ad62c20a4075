import type { ContentBlock, MediaBlock, CountTokens } from '@spillway/text/internal'
import type { ToolIntent } from './detect/tool-intent.ts'

/** What a preview is written with. */
export interface PreviewOptions {
  /** Tokens that the preview may have at most, by `countTokens`. */
  readonly budgetTokens: number
  readonly countTokens: CountTokens
  /** Whether the tool failed: an error's last lines are kept first. */
  readonly isError?: boolean | undefined
  /** Write the call that shows a span of lines, 1-based and inclusive; without it, gaps only say what they hide. */
  readonly showLines?: ((start: number, end: number) => string) | undefined
  /** Write the call that finds a text, for a gap within one long line; without it, `showLines` is used. */
  readonly showText?: ((text: string) => string) | undefined
  /** Write the call that runs a statement over the table `t`; absent if there is no SQL. */
  readonly showSql?: ((sql: string) => string) | undefined
}

/**
 * Write the preview of content that has been read. The same options always give the same text. `undefined` leaves it to
 * the preview by lines.
 */
export type WritePreview = (options: PreviewOptions) => string | undefined | Promise<string | undefined>

/** The tool call that content comes from. */
export interface PreviewCall {
  readonly toolName: string
  /** The arguments of the call, as the model wrote them. */
  readonly input: unknown
  /** What the arguments tell of what the agent is after. */
  readonly intent: ToolIntent
}

/** What is known of a text before all of it is read. */
export interface TextSubject extends PreviewCall {
  /** As the tool declared it, in lower case and without parameters; `text/plain` where it did not. */
  readonly contentType: string
  /** The beginning, at most 16,384 characters. */
  readonly start: string
  /** Whether the beginning is the whole text. If not, it may end in the middle of a word. */
  readonly isWhole: boolean
  /** The end, at most 4,096 characters; absent while the text is still arriving. */
  readonly end?: string | undefined
}

/** Takes in a text piece by piece, and remembers what its preview can show. */
export interface TextReader {
  /** Take in the next piece. Pieces may be of any size and are cut anywhere, also between the halves of a character. */
  push(text: string): void
  /**
   * End the text, of which `subject` now has the end too. Returns `undefined` where it turned out to be of another kind:
   * the next previewer reads it then.
   */
  finish(subject: TextSubject): WritePreview | undefined | Promise<WritePreview | undefined>
}

/** Previews one kind of text. */
export interface TextPreviewer {
  /** Stands in events. A previewer of the same name replaces one that is built in. */
  readonly name: string
  readonly previews: 'text'
  /**
   * Say how sure it is that a text is of this kind, from 0 (it is not) to 1 (it is): the surest previewer gets it, and of
   * several the one that comes first. It looks at no more than the subject.
   *
   * While a text arrives it is asked without the `end`, and again at the end if the first answer was above 0.
   */
  readonly recognize: (subject: TextSubject) => number
  /** Start to read a text of this kind. */
  readonly read: (subject: TextSubject) => TextReader
  /** UTF-16 units that it reads at most; longer texts go to the next previewer. Without it, any length. */
  readonly maxLength?: number | undefined
  /**
   * Tokens beyond which a preview of this kind gains little. An offloader without the option `previewTokens` gives it no
   * more; without this number, up to 1,000.
   */
  readonly usualTokens?: number | undefined
}

/** What is known of media before their bytes are read. */
export interface MediaSubject extends PreviewCall {
  readonly type: MediaBlock['type']
  readonly mediaType: string
  readonly name?: string | undefined
  readonly size: number
}

/** What was read of media. */
export interface MediaPreview {
  /** What it is in a few words, such as `800 × 600` or `12 pages`. */
  readonly description?: string | undefined
  /** Its content as text. It is stored beside the media, so that it can be searched, and previewed within the budget. */
  readonly text?: string | undefined
  /** Blocks that stay in the context beside the preview, such as a smaller image. */
  readonly blocks?: readonly ContentBlock[] | undefined
}

/** Previews one kind of media. */
export interface MediaPreviewer {
  readonly name: string
  readonly previews: 'media'
  /** As of a {@link TextPreviewer}. */
  readonly recognize: (subject: MediaSubject) => number
  /** Look at the bytes, which stay the caller's. Returns `undefined` where they turned out to be something else. */
  readonly read: (data: Uint8Array, subject: MediaSubject) => Promise<MediaPreview | undefined>
}

/** Previews one kind of content: a plain object that offloaders take in their option `previewers`. */
export type Previewer = TextPreviewer | MediaPreviewer
