import { HashCounts } from './hash-counts.ts'
import type { LineWords } from './line-words.ts'
import type { Severity } from './severity.ts'

/** How many of each severity a skeleton has is counted under the skeleton's hash and this factor. */
const SEVERITY_FACTOR = 0x2545f491

/** Lines whose mean tells how much is new at some place in a text, about. */
const WINDOW = 64

/** Counts the words and forms of a text's lines: what is common in a text tells little. */
export class TextCounts {
  readonly words: HashCounts = new HashCounts()
  readonly kinds: HashCounts = new HashCounts()
  readonly shapes: HashCounts = new HashCounts()
  readonly templates: HashCounts = new HashCounts()
  readonly #skeletons = new HashCounts()
  /** Mean share of new shapes lately. */
  #newness = 1
  /** Lines that are not blank, and of them the red ones. */
  lines = 0
  red = 0

  /** Count a line. Returns how much of a surprise its shape is where it stands, in bits from 0 to 10. */
  add(line: LineWords): number {
    this.lines++
    if (line.red) this.red++
    for (let index = 0; index < line.count; index++) this.words.add(line.words[index]!)
    const isNew = this.kinds.add(line.kind) === 1
    this.shapes.add(line.shape)
    this.templates.add(line.template)
    this.#skeletons.add(line.skeleton)
    if (line.severity !== 0) this.#skeletons.add(withSeverity(line.skeleton, line.severity))
    const surprise = isNew ? -Math.log2(this.#newness + 1 / 1_024) : 0
    this.#newness += ((isNew ? 1 : 0) - this.#newness) / WINDOW
    return surprise < 0 ? 0 : surprise
  }

  /** How many lines have a skeleton, of a severity if one is given. */
  skeletons(skeleton: number, severity: Severity = 0): number {
    return this.#skeletons.get(severity === 0 ? skeleton : withSeverity(skeleton, severity))
  }
}

function withSeverity(skeleton: number, severity: Severity): number {
  return Math.imul(skeleton ^ severity, SEVERITY_FACTOR)
}
