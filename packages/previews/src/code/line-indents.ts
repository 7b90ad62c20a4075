/** How far a line is indented, in columns; a tab goes to the next multiple of eight. */
export interface LineIndent {
  readonly indent: number
  /** With what stands before the first word or brace of the line: two more in `? { a: 1 }`. */
  readonly wordIndent: number
  /** Whether tabs are part of it: lines that differ in this may be of editors that differ on what a tab is. */
  readonly tabs: boolean
}

/** Longest run of marks before the first word. */
const MOST_MARKS = 4

/** Measures lines, each once as long as the same one is asked for. */
export class LineIndents {
  readonly #code: string
  #lineStart = -1
  #measured: LineIndent = { indent: 0, wordIndent: 0, tabs: false }

  constructor(code: string) {
    this.#code = code
  }

  /** Measure the line that begins at `lineStart`. */
  at(lineStart: number): LineIndent {
    if (lineStart !== this.#lineStart) {
      this.#lineStart = lineStart
      this.#measured = measure(this.#code, lineStart)
    }
    return this.#measured
  }
}

function measure(code: string, lineStart: number): LineIndent {
  let indent = 0
  let tabs = false
  let first = lineStart
  for (; ; first++) {
    const unit = code.charCodeAt(first)
    if (unit === 32) indent++
    else if (unit === 9) {
      indent += 8 - (indent % 8)
      tabs = true
    } else break
  }
  const marks = /^[?:|&,.]*[ \t]*/.exec(code.slice(first, first + MOST_MARKS))?.[0].length ?? 0
  return { indent, wordIndent: indent + marks, tabs }
}
