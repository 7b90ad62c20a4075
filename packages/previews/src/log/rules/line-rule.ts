/** What a line says, as far as it can be told from the line alone. */
export type SignalKind = 'exit' | 'failure' | 'error' | 'cause' | 'detail' | 'summary' | 'warning' | 'none'

/** Lines that some tools print when something goes wrong. */
export interface LineRule {
  /** Who prints such lines, each by the name of its sample in `test/log-samples`. */
  readonly tools: readonly string[]
  readonly kind: SignalKind
  /** How much such a line matters on its own, from 0 to 100. */
  readonly weight: number
  /**
   * Words of which every such line holds one: the rule is tried on these lines alone. A word stands for all that begin
   * with its first four letters, in any case and also inside a name such as `TypeError`; a shorter one for itself. After
   * `^` only the first word of a line counts; `*` stands for a mark, such as `✕`, `1)` or `src/a.c:3:5`.
   */
  readonly words: string
  /** Tried on a text of about 1,000 characters at most. Quantifiers are not nested. */
  readonly pattern: RegExp
}
