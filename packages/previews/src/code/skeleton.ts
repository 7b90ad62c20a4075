/** Code without what its outline does not need, and where each part of it stands in the whole. */
export interface Skeleton {
  readonly text: string
  /** Return where a character of the skeleton stands in the code. */
  readonly originOf: (offset: number) => number
  /** Spans that were left out and may be asked for: blocks, by where they begin in the code. */
  readonly folded: readonly number[]
}

/** Puts a skeleton together from spans of the code, given in their order. */
export class SkeletonBuilder {
  readonly #code: string
  readonly #parts: string[] = []
  /** Two numbers for each span: where it begins in the skeleton, and in the code. */
  readonly #spans: number[] = []
  readonly #folded: number[] = []
  #length = 0

  constructor(code: string) {
    this.#code = code
  }

  /** Where the skeleton ends so far, for {@link SkeletonBuilder.drop}. */
  get mark(): number {
    return this.#parts.length
  }

  /** Add the code from `start` to `end`. */
  keep(start: number, end: number): void {
    if (end <= start) return
    this.#spans.push(this.#length, start)
    this.#parts.push(this.#code.slice(start, end))
    this.#length += end - start
  }

  /** Add characters that stand for what is left out at `start`. */
  fill(text: string, start: number): void {
    this.#spans.push(this.#length, start)
    this.#parts.push(text)
    this.#length += text.length
  }

  /** Leave out again what was added since a mark. */
  drop(mark: number): void {
    if (mark >= this.#parts.length) return
    this.#length = this.#spans[mark * 2]!
    this.#parts.length = mark
    this.#spans.length = mark * 2
  }

  /** Note a block that was left out. */
  fold(start: number): void {
    this.#folded.push(start)
  }

  /** End it, with a line end: the scanner of a grammar may look for one for ever. */
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
