/** Counts the lines of a text that is passed in chunks: an LF ends a line, and no line starts after the final LF. */
export class LineCounter {
  #ends = 0
  #open = false

  push(text: string): void {
    if (text === '') return
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#ends++
    this.#open = !text.endsWith('\n')
  }

  get lines(): number {
    return this.#ends + (this.#open ? 1 : 0)
  }
}
