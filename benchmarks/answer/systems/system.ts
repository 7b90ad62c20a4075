import type { AnswerCase, ToolResult } from '../answer-case.ts'

/** What an agent wants of a stored result, whatever the tools are called. */
export type Intent =
  | {
      readonly want: 'grep'
      readonly literals: readonly string[]
      readonly ignoreCase: boolean
      /** Lines around each match. */
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

/** One tool result in the hands of a system. */
export interface Session {
  /** What the context holds in place of the result. */
  readonly shown: string
  /** Whether that is the whole result. */
  readonly inline: boolean
  readonly tools: readonly ToolDefinition[]
  /** Whether a search takes one literal, in its exact case, and shows no lines around. */
  readonly literalOnly: boolean
  /** The call that the tools' descriptions lead to, or `undefined` if the system has none for this. */
  plan(intent: Intent): ToolCall | undefined
  run(call: ToolCall): Promise<string>
  /** Numbers of the lines that a search found. */
  hits(answer: string): readonly number[]
  /** How many lines the result has, if the text says so. */
  totalLines(text: string): number | undefined
  /** The number that an answer to `count` or `count-rows` gives. */
  counted(answer: string): number | undefined
  /** The call that an answer itself names as its continuation. */
  next(answer: string): ToolCall | undefined
  /** Calls that a preview names, those that show the most lines first. */
  offered(shown: string): readonly ToolCall[]
  close(): void
}

/** A way to keep a large result out of the context. */
export interface System {
  readonly name: string
  /** The version of the package that ran; the commit for Spillway; what the stated rules were read from if emulated. */
  readonly version: string
  readonly emulated: boolean
  /** Whether the question shows anything about this system that it does not show about another. */
  takes(question: AnswerCase): boolean
  /** Keep a result. The question is for a system whose tools take what the agent is after. */
  open(result: ToolResult, question: string): Promise<Session>
  /** End what runs between sessions, if anything does. */
  close?(): Promise<void>
}

/** Write a literal as a regular expression. */
export const escapeRegex = (literal: string): string => literal.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** Numbers of the lines that an answer marks as matches, as in `> 12| text`. */
export const markedLines = (answer: string): readonly number[] =>
  [...answer.matchAll(/^>\s*(\d+)\|/gm)].map((match) => Number(match[1]))

/** A literal in the three cases that logs use, for searches that cannot ignore case. */
export function caseVariants(literal: string): readonly string[] {
  const lower = literal.toLowerCase()
  return [...new Set([lower, lower.slice(0, 1).toUpperCase() + lower.slice(1), lower.toUpperCase()])]
}

/** A result that stays in the context, so that no call is needed. */
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
