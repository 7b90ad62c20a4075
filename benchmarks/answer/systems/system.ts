import type { AnswerCase, ToolResult } from '../answer-case.ts'

/** The intent of an agent for a stored result, independent of the names of tools. */
export type Intent =
  | {
      readonly want: 'grep'
      readonly literals: readonly string[]
      readonly ignoreCase: boolean
      /** Number of lines around each match. */
      readonly context: number
      readonly fromEnd?: boolean
    }
  | { readonly want: 'lines'; readonly first: number; readonly last: number }
  | { readonly want: 'tail'; readonly count: number }
  | { readonly want: 'total' }
  | { readonly want: 'rows'; readonly keyColumn: string; readonly key: string; readonly field: string }
  | { readonly want: 'sibling'; readonly keyName: string; readonly key: string | number; readonly field: string }
  | { readonly want: 'path'; readonly path: readonly (string | number)[] }
  | { readonly want: 'count'; readonly literal: string }
  | { readonly want: 'count-rows'; readonly column: string; readonly value: string }
  | { readonly want: 'words'; readonly words: string }
  | { readonly want: 'all' }

/** A call of one of the system's own tools. */
export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A tool that the model is offered. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
}

/** One tool result that a system has stored. */
export interface Session {
  /** The text in the context instead of the result. */
  readonly shown: string
  /** Whether `shown` is the whole result. */
  readonly inline: boolean
  readonly tools: readonly ToolDefinition[]
  /** Whether a search accepts only one literal, with exact case, and shows no lines around matches. */
  readonly literalOnly: boolean
  /** Return the call for an intent, according to the tools' descriptions; `undefined` if no tool fits. */
  plan(intent: Intent): ToolCall | undefined
  run(call: ToolCall): Promise<string>
  /** Return the numbers of the lines that a search found. */
  hits(answer: string): readonly number[]
  /** Return the number of lines of the result, if the text states it. */
  totalLines(text: string): number | undefined
  /** Return the number in an answer to `count` or `count-rows`. */
  counted(answer: string): number | undefined
  /** Return the continuation that an answer names. */
  next(answer: string): ToolCall | undefined
  /** Return the calls that a preview names. Calls that show the most lines come first. */
  offered(shown: string): readonly ToolCall[]
  close(): void
}

/** A way to keep a large result out of the context. */
export interface System {
  readonly name: string
  /** The version of the package, the commit of Spillway, or the source of the rules for an emulated system. */
  readonly version: string
  readonly emulated: boolean
  /** Whether the question measures something specific of this system. */
  takes(question: AnswerCase): boolean
  /** Store a result. The question is for systems whose tools accept the purpose of the agent. */
  open(result: ToolResult, question: string): Promise<Session>
  /** Stop processes that run between sessions, if there are any. */
  close?(): Promise<void>
}

/** Escape a literal for a regular expression. */
export const escapeRegex = (literal: string): string => literal.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** Return the numbers of lines that an answer marks as matches, as in `> 12| text`. */
export const markedLines = (answer: string): readonly number[] =>
  [...answer.matchAll(/^>\s*(\d+)\|/gm)].map((match) => Number(match[1]))

/** Return the literal in the three cases that logs use, for searches that cannot ignore case. */
export function caseVariants(literal: string): readonly string[] {
  const lower = literal.toLowerCase()
  return [...new Set([lower, lower.slice(0, 1).toUpperCase() + lower.slice(1), lower.toUpperCase()])]
}

/** Create the session of a result that stays in the context, so that no call is needed. */
export function inlineSession(shown: string): Session {
  return {
    shown,
    inline: true,
    tools: [],
    literalOnly: false,
    plan: () => undefined,
    run: () => Promise.reject(new Error('The whole result is in the context: there is nothing to call.')),
    hits: () => [],
    totalLines: () => undefined,
    counted: () => undefined,
    next: () => undefined,
    offered: () => [],
    close: () => undefined,
  }
}
