import { lineSignal, signalByRules, type LineSignal } from './line-signal.ts'
import type { LineWords } from './line-words.ts'

/** Signals remembered by template. */
const KNOWN_SIGNALS = 8_192
/** Lines that must agree in a row before others of their shape, with the same telling words, are taken to say the same. */
const AGREED = 4
/** Lines looked at in full, and one more for so many lines read after that. */
const LOOKS = 16_384
const LINES_PER_LOOK = 64

interface Learned {
  signal: LineSignal
  agreed: number
}

/**
 * Tells what lines say, and remembers it: a text repeats its lines but for numbers and names, and looking at one costs as
 * much as reading dozens.
 */
export class SignalMemo {
  readonly #byTemplate = new Map<number, LineSignal>()
  readonly #byCrowd = new Map<number, Learned>()
  #looks = 0
  #exact = true

  /** Whether every line was looked at, or is like lines that were. */
  get isExact(): boolean {
    return this.#exact
  }

  /**
   * Return what a line says, or `undefined` where too many lines, each unlike the others, would have to be looked at.
   *
   * @param clean - Returns the line as it is shown. Called where the line must be looked at.
   * @param lines - Lines read so far.
   */
  signalOf(words: LineWords, clean: () => string, lines: number): LineSignal | undefined {
    const { template, crowd } = words
    const known = this.#byTemplate.get(template)
    if (known !== undefined) return known
    const learned = this.#byCrowd.get(crowd)
    if (learned !== undefined && learned.agreed >= AGREED) return learned.signal
    if (this.#looks > LOOKS + lines / LINES_PER_LOOK) {
      this.#exact = false
      return undefined
    }
    this.#looks++
    const signal = signalByRules(clean(), words.rules)
    if (this.#byTemplate.size >= KNOWN_SIGNALS) this.#byTemplate.clear()
    this.#byTemplate.set(template, signal)
    if (learned === undefined) {
      if (this.#byCrowd.size >= KNOWN_SIGNALS) this.#byCrowd.clear()
      this.#byCrowd.set(crowd, { signal, agreed: 1 })
    } else if (learned.signal.kind === signal.kind && learned.signal.weight === signal.weight) learned.agreed++
    else {
      learned.signal = signal
      learned.agreed = 0
    }
    return signal
  }

  /** Return what a line says, of which its template and how it is shown were kept. */
  signalOfKept(template: number, line: string): LineSignal {
    return this.#byTemplate.get(template) ?? lineSignal(line)
  }
}
