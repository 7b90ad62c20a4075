import { parseExactJson } from '@spillway/core/adapter'
import type { HistoryFormat } from '@spillway/history'
import type { FormatName } from '../history-options.ts'
import { CliError, EXIT_CODE, usageError } from '../../cli-error.ts'
import type { JsonStyle, Span } from './json-spans.ts'

/** A message as the file has it. */
export interface TranscriptMessage extends Span {
  readonly value: unknown
  /** The line on which it begins, from 1. */
  readonly line: number
}

/** A format of messages that transcripts have. */
export interface TranscriptFormat {
  /** What `--format` calls it. */
  readonly name: FormatName
  /** What the user is told. */
  readonly title: string
  /** Where the API has its system prompt, if that is no message. */
  readonly systemKey?: 'system' | 'systemInstruction' | undefined
  /** Make of messages what the API takes. */
  readonly join: (conversation: Conversation) => unknown
  readonly split: (joined: unknown) => Conversation
  readonly history: HistoryFormat<unknown>
}

/** What a transcript has of a conversation. */
export interface Conversation {
  readonly messages: readonly unknown[]
  /** The system prompt, where it stands apart; undefined where there is none. */
  readonly system: unknown
}

/** How a file has its messages. */
export type TranscriptLayout =
  /** In an array of one JSON document. */
  | {
      readonly kind: 'document'
      /** What stands between the brackets. */
      readonly inside: Span
      /** Before the first message, between messages, and behind the last. */
      readonly lead: string
      readonly separator: string
      readonly trail: string
      readonly system: SystemPlace | undefined
    }
  /** Each on a line of its own. */
  | { readonly kind: 'lines'; readonly eol: string; readonly endsWithEol: boolean }
  /** Inside of some of the lines, as the sessions of Claude Code. */
  | { readonly kind: 'session' }

/** Where a document has its system prompt, or could have one. */
export interface SystemPlace {
  readonly key: string
  /** The line of its key; of the messages, where there is none. */
  readonly line: number
  /** Undefined where there is none; a null is none. */
  readonly value: unknown
  /** Of the value, and of a null; undefined where there is no such key. */
  readonly span: Span | undefined
  /** What goes with the prompt where it is taken out. */
  readonly member: Span | undefined
  /** Where it is put where there is none. */
  readonly insertAt: number
}

/** A file with a conversation. */
export interface Transcript {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly lines: number
  readonly format: TranscriptFormat
  readonly layout: TranscriptLayout
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  /** What else the user should know. */
  readonly notes: readonly string[]
}

/** Return the conversation of a transcript as its API takes it. */
export function conversationOf({ format, layout, messages }: Transcript): unknown {
  const system = layout.kind === 'document' ? layout.system?.value : undefined
  return format.join({ system, messages: messages.map(({ value }) => value) })
}

/**
 * Return the line of the message at a position of the neutral form, in which a system prompt that stands apart is the
 * first; undefined for one that is not in the file.
 */
export function lineOf({ layout, messages }: Transcript, position: number): number | undefined {
  const system = layout.kind === 'document' ? layout.system : undefined
  if (system?.value === undefined) return messages[position]?.line
  return position === 0 ? system.line : messages[position - 1]?.line
}

/** Say what is wrong with a transcript, and on which line where that is known. Nothing of its content is told. */
export const transcriptError = (
  path: string,
  line: number | undefined,
  what: string,
  options?: ErrorOptions,
): CliError => usageError(`${path}${line === undefined ? '' : `:${line}`}: ${what}`, options)

/** Run what reads a file; where that fails, say why. */
export async function readingFile<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const { code, syscall } = Object(error) as NodeJS.ErrnoException
    if (syscall === undefined || code === undefined) throw error
    const reason =
      code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`
    throw new CliError('unreadable-file', EXIT_CODE.nothing, `${path}: ${reason}.`, { cause: error })
  }
}

/** Parse JSON; `undefined` where it is none, as no JSON is that. Numbers keep their digits. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
