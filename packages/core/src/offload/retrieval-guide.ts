import type { RetrievalCall } from '../retrieval/retrieval-tool.ts'

/**
 * How somebody without the retrieval tool gets more of what was offloaded, such as an agent that has only a shell and a
 * command line: the words that replacements use in the tool's place.
 *
 * @example
 * ```ts
 * import type { RetrievalGuide } from '@spillway/core'
 *
 * const guide: RetrievalGuide = {
 *   instructions: (references) => references.map((reference) => `To see all of it: my-tool show ${reference}`),
 *   formatCall: ({ line_range: lines }) => (lines === undefined ? 'my-tool show' : `--lines ${lines.start}:${lines.end}`),
 * }
 * console.assert(guide.formatCall({ line_range: { start: 5, end: 9 } }) === '--lines 5:9')
 * ```
 */
export interface RetrievalGuide {
  /**
   * Return the lines that say how to get more. They stand before the previews, outside the fences.
   *
   * @param isText - Whether the references are of text. If `false`, patterns and lines must not be offered.
   */
  readonly instructions: (references: readonly string[], isText?: boolean) => readonly string[]
  /**
   * Write the retrieval that shows the lines of a gap. The call has no `reference`: the one that is meant stands with
   * the preview, and naming it in each gap would cost the preview many tokens.
   */
  readonly formatCall: (call: RetrievalCall) => string
}
