import type { TextPreviewer } from '@spillway/previews'

/** Kinds of question. Each has a table of its own in the report: figures of different kinds are never pooled. */
export const KINDS = [
  'log-why',
  'log-needle',
  'log-count',
  'table-cell',
  'table-aggregate',
  'json-sibling',
  'json-path',
  'command-cell',
  'code-symbol',
  'page-fact',
  'later-use',
  'overview',
  'compare',
] as const

export type Kind = (typeof KINDS)[number]

/** A tool result that a question is about. */
export interface ToolResult {
  readonly text: string
  readonly contentType: string
  readonly toolName: string
  readonly toolInput?: unknown
  /** Text that the agent wrote before its call, as adapters pass it. */
  readonly purpose?: string | undefined
  /** Makes the previewer of Spillway whose weights have not seen the result, if weights were fitted to it. */
  readonly heldOut?: () => TextPreviewer | undefined
}

/** The question in a form that a policy can act on. It never holds the answer. */
export type Asks =
  | { readonly form: 'why' }
  | { readonly form: 'overview' }
  | { readonly form: 'word'; readonly word: string }
  | { readonly form: 'words'; readonly words: string }
  | { readonly form: 'count'; readonly literal: string }
  | { readonly form: 'cell'; readonly keyColumn: string; readonly key: string; readonly field: string }
  | { readonly form: 'rows'; readonly column: string; readonly value: string }
  | { readonly form: 'sibling'; readonly keyName: string; readonly key: string | number; readonly field: string }
  | { readonly form: 'path'; readonly path: readonly (string | number)[] }

/** Everything that the context holds after some calls. */
export interface Evidence {
  readonly shown: string
  /** Numbers that answers gave as a count of what was asked for. */
  readonly counts: readonly number[]
}

/** A question about one tool result, or two, and the rule that knows its answer. */
export interface AnswerCase {
  readonly id: string
  readonly kind: Kind
  /** Project, site, or session: intervals are drawn over groups. */
  readonly group: string
  /** `unseen`: nobody looked at the group when rules were written. `development`: rules may have been written for it. */
  readonly origin: 'unseen' | 'development' | 'generated'
  readonly results: readonly ToolResult[]
  readonly question: string
  readonly asks: Asks
  /** The exact answer, where there is one: a self-stopping policy's answer is compared with it. */
  readonly answer?: string
  /** Lines of the answer in each result, 1-based and inclusive; only the oracle sees them. */
  readonly lines: readonly (readonly (readonly [first: number, last: number])[])[]
  /** The share of the answer that stands in the context, from 0 to 1. */
  recall(evidence: Evidence): number
}
