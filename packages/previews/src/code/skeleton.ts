/** Code reduced to the part that its outline needs. */
export interface Skeleton {
  readonly text: string
  /** Returns the offset in the code. */
  readonly originOf: (offset: number) => number
  /** Starts of omitted blocks that may be requested. */
  readonly folded: readonly number[]
}

export class SkeletonBuilder {
  readonly #code: string
  readonly #parts: string[] = []
  /** Start in the skeleton and start in the code of each span. */
  readonly #spans: number[] = []
  readonly #folded: number[] = []
  #length = 0

  constructor(code: string) {
    this.#code = code
  }

  get mark(): number {
    return this.#parts.length
  }

  keep(start: number, end: number): void {
    if (end <= start) return
    this.#spans.push(this.#length, start)
    this.#parts.push(this.#code.slice(start, end))
    this.#length += end - start
  }

  /** `text` replaces the code that is left out at `start`. */
  fill(text: string, start: number): void {
    this.#spans.push(this.#length, start)
    this.#parts.push(text)
    this.#length += text.length
  }

  drop(mark: number): void {
    if (mark >= this.#parts.length) return
    this.#length = this.#spans[mark * 2]!
    this.#parts.length = mark
    this.#spans.length = mark * 2
  }

  fold(start: number): void {
    this.#folded.push(start)
  }

  /** A final line end stops scanners that search for one forever. */
  finish(): Skeleton {
    if (this.#parts.at(-1)?.endsWith('\n') !== true) this.fill('\n', this.#code.length)
    const spans = this.#spans
    return {
      text: this.#parts.join(''),
      originOf: (offset) => originOf(spans, offset),
      folded: this.#folded,
    }
  }
}

function originOf(spans: readonly number[], offset: number): number {
  let low = 0
  let high = spans.length / 2
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (spans[middle * 2]! <= offset) low = middle
    else high = middle
  }
  return spans.length === 0 ? 0 : spans[low * 2 + 1]! + offset - spans[low * 2]!
}
