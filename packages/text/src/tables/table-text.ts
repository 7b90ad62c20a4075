/** What is known of a text when it is asked whether it is a table. */
export interface TableText {
  /** In lower case and without parameters. */
  readonly contentType: string
  /** The beginning. */
  readonly start: string
  /** Whether the beginning is the whole text. */
  readonly isWhole: boolean
  /** The files that the text may come from: their names may say what it is. */
  readonly intent: { readonly paths: readonly string[] }
}
