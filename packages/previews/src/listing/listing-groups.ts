import { detach } from '@spillway/text/internal'

/** Largest number of groups, and of UTF-16 units in their names. Later entries count for their folder or one group. */
const MOST_GROUPS = 10_000
const MOST_NAME_UNITS = 4_000_000
/** Longest kept start of an entry, in UTF-16 units. */
const LONGEST_ITEM = 512
/** Largest kept length of all entries together, in UTF-16 units. Each entry adds `ITEM_UNITS`. */
const MOST_UNITS = 2_000_000
const ITEM_UNITS = 24
/** Number of entries that every group keeps. */
const FIRST_ITEMS = 4

export interface ListedGroup {
  readonly name: string
  readonly line: number
  /** Number of entries, including entries that are not kept. */
  count: number
  /** The first entries, in order. */
  items: string[]
  last: string
}

export class ListingGroups {
  readonly #groups = new Map<string, ListedGroup>()
  #current: ListedGroup | undefined
  #units = 0
  #nameUnits = 0
  hasMore = false
  /** Largest number of entries to keep per group. The limit decreases while groups are added. */
  #most = Infinity
  items = 0

  get groups(): ListedGroup[] {
    return [...this.#groups.values()]
  }

  open(name: string, line: number): void {
    if (this.#current?.name === name) return
    let group = this.#groups.get(name)
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS || this.#nameUnits + name.length > MOST_NAME_UNITS)
        group = this.#rest(name, line)
      else {
        // Copy the name, so that the memory of the text can be freed.
        group = { name: detach(name), line, count: 0, items: [], last: '' }
        this.#groups.set(group.name, group)
        this.#nameUnits += name.length
        this.#units += name.length + 2 * ITEM_UNITS
      }
    }
    this.#current = group
  }

  add(item: string, line: number): void {
    if (this.#current === undefined) this.open('', line)
    const group = this.#current!
    group.count++
    this.items++
    const text = item.length > LONGEST_ITEM ? `${item.slice(0, LONGEST_ITEM)}…` : item
    group.last = text
    if (group.items.length >= this.#most) return
    group.items.push(detach(text))
    this.#units += text.length + ITEM_UNITS
    while (this.#units > MOST_UNITS && this.#most > FIRST_ITEMS) this.#thin()
  }

  /** Return a group for an entry over the limit of groups: the group of its parent folder, or one for all others. */
  #rest(name: string, line: number): ListedGroup {
    this.hasMore = true
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
