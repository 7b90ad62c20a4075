/** Finds columns by their names, of which more may come at the end of the same array. */
export class ColumnPlaces {
  readonly #names: readonly string[]
  readonly #exact = new Map<string, number>()
  readonly #plain = new Map<string, number>()
  #indexed = 0

  constructor(names: readonly string[]) {
    this.#names = names
  }

  /**
   * Return the place of a column: the one that is called just so, else in another case, else `column 3` by its number.
   * Of several that are called the same, the first.
   */
  find(name: string): number | undefined {
    for (; this.#indexed < this.#names.length; this.#indexed++) {
      const known = this.#names[this.#indexed]!
      if (!this.#exact.has(known)) this.#exact.set(known, this.#indexed)
      const plain = plainName(known)
      if (!this.#plain.has(plain)) this.#plain.set(plain, this.#indexed)
    }
    const wanted = plainName(name)
    const place = this.#exact.get(name) ?? this.#plain.get(wanted)
    if (place !== undefined) return place
    const number = Number(/^column (\d{1,6})$/.exec(wanted)?.[1] ?? 0)
    return number >= 1 && number <= this.#names.length ? number - 1 : undefined
  }
}

function plainName(name: string): string {
  return name.trim().toLowerCase()
}
