/** What is known of a text when it is asked whether it is a table. */
export interface TableText {
  /** In lower case and without parameters. */
  readonly contentType: string
  /** The beginning. */
  readonly start: string
  /** UTF-16 units of the whole; absent where that is not known. */
  readonly length?: number | undefined
  /** The files that the text may come from: their names may say what it is. */
  readonly intent: { readonly paths: readonly string[] }
}
