import { detach } from '../../content/detach.ts'

/** UTF-16 units of a cell that are kept, at most. */
const LONGEST_CELL = 65_536

/** A cell that may go on in further lines, as psql writes it: what goes on ends with a plus sign. */
export class OpenCell {
  readonly #lines: string[] = []
  #last: string
  #length = 0

  constructor(text: string) {
    this.#last = detach(text)
  }

  /** Whether the cell may go on. */
  get isOpen(): boolean {
    return this.#last.endsWith('+')
  }

  /** Add a line. Only now it is known that the sign of the one before is no part of the cell. */
  add(text: string): void {
    const line = this.#last.slice(0, -1).trimEnd()
    if (this.#length < LONGEST_CELL) this.#lines.push(line)
    this.#length += line.length + 1
    this.#last = detach(text)
  }

  /** The cell, or its beginning where it is very long. */
  get text(): string {
    const lines = this.#length < LONGEST_CELL ? [...this.#lines, this.#last] : this.#lines
    return lines.join('\n').slice(0, LONGEST_CELL)
  }

  /** UTF-16 units of the whole cell. */
  get length(): number {
    return this.#length + this.#last.length
  }
}
