/** How the tokens of a preview of HTML are shared; what a part does not need goes to the other. */
export interface HtmlPreviewShares {
  /** The main content, from its beginning. */
  readonly text: number
  /** The headings of the part that is hidden, each with its line. */
  readonly outline: number
}
