/** Tells the numbers of lines by offsets that never go back, in one pass over the text. */
export class LineNumbers {
  readonly #text: string
  #line = 1
  /** Where the current line ends. */
  #end: number

  constructor(text: string) {
    this.#text = text
    this.#end = endOfLine(text, 0)
  }

  /** Return the 1-based number of the line at an offset. */
  at(offset: number): number {
    while (this.#end < offset) {
      this.#line++
      this.#end = endOfLine(this.#text, this.#end + 1)
    }
    return this.#line
  }

  /** Return how many lines there are; a final newline ends the last one. */
  count(): number {
    if (this.#text === '') return 0
    return this.at(this.#text.endsWith('\n') ? this.#text.length - 1 : this.#text.length)
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}
