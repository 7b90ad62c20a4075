import { detach } from '@spillway/text/internal'

/** Groups that are told apart, and UTF-16 units of their names; what belongs to further ones is counted with its folder, or as the rest. */
const MOST_GROUPS = 10_000
const MOST_NAME_UNITS = 4_000_000
/** UTF-16 units of an entry that are kept. */
const LONGEST_ITEM = 512
/** UTF-16 units of entries that are kept, with what each takes besides. */
const MOST_UNITS = 2_000_000
const ITEM_UNITS = 24
/** Entries of a group that are kept in any case, as long as groups are few. */
const FIRST_ITEMS = 4

/** A folder, a file or the like, with its entries. */
export interface ListedGroup {
  readonly name: string
  /** The line where it is first named, 1-based. */
  readonly line: number
  /** Entries, those that were not kept too. */
  count: number
  /** Entries that were kept, from the first on, and the last one. */
  items: string[]
  last: string
}

/** Collects the entries of a listing by their groups, within a bound. */
export class ListingGroups {
  readonly #groups = new Map<string, ListedGroup>()
  #current: ListedGroup | undefined
  #units = 0
  #nameUnits = 0
  #hasMore = false
  /** Entries that a group keeps at most: fewer when many groups have come. */
  #most = Infinity
  #items = 0

  /** Entries of all groups. */
  get items(): number {
    return this.#items
  }

  /** The groups in the order of their first line. */
  get groups(): ListedGroup[] {
    return [...this.#groups.values()]
  }

  /** Whether there are more groups than these. */
  get hasMore(): boolean {
    return this.#hasMore
  }

  /** Go on with a group. */
  open(name: string, line: number): void {
    if (this.#current?.name === name) return
    let group = this.#groups.get(name)
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS || this.#nameUnits + name.length > MOST_NAME_UNITS)
        group = this.#rest(name, line)
      else {
        // All of the name: another may begin like it.
        group = { name: detach(name), line, count: 0, items: [], last: '' }
        this.#groups.set(group.name, group)
        this.#nameUnits += name.length
        this.#units += name.length + 2 * ITEM_UNITS
      }
    }
    this.#current = group
  }

  /** Add an entry to the group that is open. */
  add(item: string, line: number): void {
    if (this.#current === undefined) this.open('', line)
    const group = this.#current!
    group.count++
    this.#items++
    const text = item.length > LONGEST_ITEM ? `${item.slice(0, LONGEST_ITEM)}…` : item
    group.last = text
    if (group.items.length >= this.#most) return
    group.items.push(detach(text))
    this.#units += text.length + ITEM_UNITS
    while (this.#units > MOST_UNITS && this.#most > FIRST_ITEMS) this.#thin()
  }

  /** The group that takes in what belongs to groups beyond the bound: the folder that holds it, if that is known. */
  #rest(name: string, line: number): ListedGroup {
    this.#hasMore = true
    const end = name.lastIndexOf('/')
    const folder = end > 0 ? this.#groups.get(name.slice(0, end)) : undefined
    if (folder !== undefined) return folder
    const rest = this.#groups.get('') ?? { name: '', line, count: 0, items: [], last: '' }
    this.#groups.set('', rest)
    return rest
  }

  #thin(): void {
    let longest = 0
    for (const { items } of this.#groups.values()) longest = Math.max(longest, items.length)
    this.#most = Math.max(FIRST_ITEMS, Math.floor(longest / 2))
    this.#units = 0
    for (const group of this.#groups.values()) {
      if (group.items.length > this.#most) group.items = group.items.slice(0, this.#most)
      this.#units += group.name.length + 2 * ITEM_UNITS
      for (const { length } of group.items) this.#units += length + ITEM_UNITS
    }
  }
}
