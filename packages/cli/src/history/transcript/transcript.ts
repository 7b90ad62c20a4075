import { parseExactJson, parseJsonText } from '@spillway/core/adapter'
import type { HistoryFormat } from '@spillway/history'
import type { FormatName } from '../../commands/options.ts'
import { unreadable, usageError, type CliError } from '../../cli-error.ts'

export interface TranscriptMessage {
  readonly value: unknown
  /** Line number, from 1. `undefined` in a document, in which several messages may share a line. */
  readonly line: number | undefined
}

export interface TranscriptFormat {
  readonly name: FormatName
  readonly title: string
  /** Key of the system prompt in a request, if the API has it outside of the messages. */
  readonly systemKey?: 'system' | 'systemInstruction' | undefined
  /** Create a conversation in the format of the API. */
  readonly join: (conversation: Conversation) => unknown
  readonly split: (joined: unknown) => Conversation
  readonly history: HistoryFormat<unknown>
}

export interface Conversation {
  readonly messages: readonly unknown[]
  /** A system prompt outside of the messages; `undefined` if the file has no such prompt. */
  readonly system: unknown
}

export type TranscriptLayout =
  /** A list of messages, or a document that contains one. */
  | {
      readonly kind: 'document'
      /** `undefined` if the list is the whole document. */
      readonly root: Readonly<Record<string, unknown>> | undefined
      readonly listKey: string | undefined
      /** The key of the system prompt; `undefined` if the document has no place for one. */
      readonly systemKey: string | undefined
      readonly indent: string
      /** The line end at the end of the file, if there is one. */
      readonly end: string
    }
  /** One message per line. A `session` of Claude Code has messages inside some lines. */
  | {
      readonly kind: 'lines' | 'session'
      /** The texts between line feeds, including blank lines. */
      readonly texts: readonly string[]
    }

export interface Transcript {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly mode: number
  readonly lines: number
  readonly format: TranscriptFormat
  readonly layout: TranscriptLayout
  readonly messages: readonly TranscriptMessage[]
  /** A system prompt outside of the messages; `undefined` if the file has no such prompt. */
  readonly system: unknown
  /** Further remarks for the user. */
  readonly notes: readonly string[]
}

export function conversationOf({ format, system, messages }: Transcript): unknown {
  return format.join({ system, messages: messages.map(({ value }) => value) })
}

/** Return the line of a message, if known. A separate system prompt counts as the first message. */
export function lineOf({ system, messages }: Transcript, position: number): number | undefined {
  return messages[system === undefined ? position : position - 1]?.line
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
export const parseJson = (text: string): unknown => parseJsonText(text, parseExactJson)
