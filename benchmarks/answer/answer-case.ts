import type { TextPreviewer } from '@spillway/previews'

/** Kinds of question. Each kind has a separate table in the report: figures of different kinds are not pooled. */
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
  /** Creates the previewer of Spillway with weights that were not fitted to this result. Absent if no weights were. */
  readonly heldOut?: () => TextPreviewer | undefined
}

/** The question in a form that a policy can use. It never contains the answer. */
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

/** Everything in the context after some calls. */
export interface Evidence {
  readonly shown: string
  /** Numbers that answers gave as the requested count. */
  readonly counts: readonly number[]
}

/** A question about one or two tool results, with a rule that recognizes the answer. */
export interface AnswerCase {
  readonly id: string
  readonly kind: Kind
  /** Project, site, or session. Confidence intervals are computed over groups. */
  readonly group: string
  /** `unseen`: no rule was written with knowledge of the group. `development`: rules may have been written for it. */
  readonly origin: 'unseen' | 'development' | 'generated'
  readonly results: readonly ToolResult[]
  readonly question: string
  readonly asks: Asks
  /** The exact answer, if there is one. It is compared with the answer of a policy that stops by itself. */
  readonly answer?: string
  /** Lines of the answer in each result, 1-based and inclusive. Only the oracle uses them. */
  readonly lines: readonly (readonly (readonly [first: number, last: number])[])[]
  /** Return the share of the answer that is in the context, from 0 to 1. */
  recall(evidence: Evidence): number
}
