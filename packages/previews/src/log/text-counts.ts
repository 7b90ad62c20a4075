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
  /** Mean shares of lines that began in a new way, and that had new words, lately. */
  #newKinds = 1
  #newWords = 1
  /** Lines that are not blank, and of them the red ones. */
  lines = 0
  red = 0

  /** Count a line. Returns how much of a surprise its beginning or its words are where it stands, in bits from 0 to 10. */
  add(line: LineWords): number {
    this.lines++
    if (line.red) this.red++
    let hasNewWord = false
    for (let index = 0; index < line.count; index++) if (this.words.add(line.words[index]!) === 1) hasNewWord = true
    const isNewKind = this.kinds.add(line.kind) === 1
    this.shapes.add(line.shape)
    this.templates.add(line.template)
    this.#skeletons.add(line.skeleton)
    if (line.severity !== 0) this.#skeletons.add(withSeverity(line.skeleton, line.severity))
    const share = Math.min(isNewKind ? this.#newKinds : 1, hasNewWord ? this.#newWords : 1)
    this.#newKinds += (Number(isNewKind) - this.#newKinds) / WINDOW
    this.#newWords += (Number(hasNewWord) - this.#newWords) / WINDOW
    return Math.max(0, -Math.log2(share + 1 / 1_024))
  }

  /** How many lines have a skeleton, of a severity if one is given. */
  skeletons(skeleton: number, severity: Severity = 0): number {
    return this.#skeletons.get(severity === 0 ? skeleton : withSeverity(skeleton, severity))
  }
}

function withSeverity(skeleton: number, severity: Severity): number {
  return Math.imul(skeleton ^ severity, SEVERITY_FACTOR)
}
