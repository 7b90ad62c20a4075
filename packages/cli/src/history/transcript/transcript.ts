import { parseExactJson } from '@spillway/core/adapter'
import type { HistoryFormat } from '@spillway/history'
import type { FormatName } from '../../commands/options.ts'
import { unreadable, usageError, type CliError } from '../../cli-error.ts'
import type { JsonStyle, Span } from './json-spans.ts'

export interface TranscriptMessage extends Span {
  readonly value: unknown
  /** The first line, from 1. */
  readonly line: number
}

export interface TranscriptFormat {
  /** The value of `--format`. */
  readonly name: FormatName
  /** The name for users. */
  readonly title: string
  /** The key of a separate system prompt. */
  readonly systemKey?: 'system' | 'systemInstruction' | undefined
  /** Create the API's conversation. */
  readonly join: (conversation: Conversation) => unknown
  readonly split: (joined: unknown) => Conversation
  readonly history: HistoryFormat<unknown>
}

export interface Conversation {
  readonly messages: readonly unknown[]
  /** A separate system prompt; `undefined` if there is none. */
  readonly system: unknown
}

/** The layout of a transcript. */
export type TranscriptLayout =
  /** An array in a JSON document. */
  | {
      readonly kind: 'document'
      /** The range inside the brackets. */
      readonly inside: Span
      /** The text before, between and after the messages. */
      readonly lead: string
      readonly separator: string
      readonly trail: string
      readonly system: SystemPlace | undefined
    }
  /** One message per line. */
  | { readonly kind: 'lines'; readonly eol: string; readonly endsWithEol: boolean }
  /** Messages inside some lines, as in sessions of Claude Code. */
  | { readonly kind: 'session' }

/** The place of the system prompt in a document. */
export interface SystemPlace {
  readonly key: string
  /** The line of its key, or of the messages if there is none. */
  readonly line: number
  /** `undefined` if absent or null. */
  readonly value: unknown
  /** `undefined` if there is no such key. */
  readonly span: Span | undefined
  /** The range to remove with the prompt. */
  readonly member: Span | undefined
  /** The offset of a new prompt. */
  readonly insertAt: number
}

export interface Transcript {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly lines: number
  readonly format: TranscriptFormat
  readonly layout: TranscriptLayout
  readonly style: JsonStyle
  readonly messages: readonly TranscriptMessage[]
  /** Further remarks for the user. */
  readonly notes: readonly string[]
}

/** Return the conversation in its API's form. */
export function conversationOf({ format, layout, messages }: Transcript): unknown {
  const system = layout.kind === 'document' ? layout.system?.value : undefined
  return format.join({ system, messages: messages.map(({ value }) => value) })
}

/**
 * Return the line of a neutral message, in which a separate system prompt comes first; `undefined` if there is none.
 */
export function lineOf({ layout, messages }: Transcript, position: number): number | undefined {
  const system = layout.kind === 'document' ? layout.system : undefined
  if (system?.value === undefined) return messages[position]?.line
  return position === 0 ? system.line : messages[position - 1]?.line
}

/** Create an error about a transcript, without its content. */
export const transcriptError = (
  path: string,
  line: number | undefined,
  what: string,
  options?: ErrorOptions,
): CliError => usageError(`${path}${line === undefined ? '' : `:${line}`}: ${what}`, options)

/** Run a function that reads a file, and explain a failure. */
export async function readingFile<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw unreadable(error, path)
  }
}

/** Parse JSON with exact numbers; `undefined` if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
