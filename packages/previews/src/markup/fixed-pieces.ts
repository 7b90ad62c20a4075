/**
 * Cuts a text into pieces of one size, whatever the pieces it comes in: what reads them sees the same pieces however the
 * text arrives, and never many small ones.
 */
export class FixedPieces {
  readonly #size: number
  readonly #take: (piece: string) => void
  #waiting: string[] = []
  #length = 0

  constructor(size: number, take: (piece: string) => void) {
    this.#size = size
    this.#take = take
  }

  /** Take in the next piece. */
  push(text: string): void {
    if (this.#length + text.length < this.#size) {
      this.#waiting.push(text)
      this.#length += text.length
      return
    }
    let from = this.#size - this.#length
    this.#waiting.push(text.slice(0, from))
    this.#take(this.#waiting.join(''))
    for (; from + this.#size <= text.length; from += this.#size) this.#take(text.slice(from, from + this.#size))
    this.#waiting = from < text.length ? [text.slice(from)] : []
    this.#length = text.length - from
  }

  /** Hand out what is left. */
  finish(): void {
    const rest = this.#waiting.join('')
    this.#waiting = []
    this.#length = 0
    if (rest !== '') this.#take(rest)
  }
}
