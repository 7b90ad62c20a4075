const MAX_CHARACTERS = 4_000_000

/**
 * Remembers texts that were within the limit, over all runs of an adapter whose framework hands over a whole history with
 * every call of the model, as new objects: none of it is counted anew.
 *
 * It keeps four million characters at most; when there are more, it forgets all and begins again. Texts are of one
 * offloader, as others have other limits; of values that are no texts it knows nothing.
 *
 * @example
 * ```ts
 * import { SmallTexts } from '@spillway/core/adapter'
 *
 * const small = new SmallTexts()
 * small.add('two users')
 * console.assert(small.has('two users') && !small.has('three users'))
 * ```
 */
export class SmallTexts {
  readonly #texts = new Set<unknown>()
  #characters = 0

  /** Tell whether a value is a text that was added, and is not forgotten. */
  has(value: unknown): boolean {
    return this.#texts.has(value)
  }

  /** Add a value that is within the limit, if it is a text. */
  add(value: unknown): void {
    if (typeof value !== 'string' || this.#texts.has(value)) return
    this.#characters += value.length
    if (this.#characters > MAX_CHARACTERS) {
      this.#texts.clear()
      this.#characters = value.length
    }
    this.#texts.add(value)
  }
}
