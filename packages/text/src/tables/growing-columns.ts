/** Names that are told apart, at most: those that come later are left out. */
const MOST_COLUMNS = 10_000
/** UTF-16 units of a name, at most: a longer one is left out with its cells. */
const LONGEST_NAME = 1_000

/** Columns of rows that each name their own. */
export class GrowingColumns {
  readonly #places = new Map<string, number>()
  readonly #names: string[] = []

  /** The names so far, in the order in which they came; the array grows. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Return the place of a column, a new one for a new name; `undefined` where there are too many, or it is too long. */
  place(name: string): number | undefined {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    if (this.#names.length >= MOST_COLUMNS || name.length > LONGEST_NAME) return undefined
    this.#places.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }
}
