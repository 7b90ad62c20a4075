import type { EntryId } from '@spillway/core/driver'

/** No entry's id has a dot in it, so that what belongs to an entry has a place of its own. */
const SIBLINGS = '.index/'
const ID = /^(?:[a-z0-9_-]{1,64}\/)*[a-z0-9_]{1,64}$/

/** What a sibling object belongs to: an entry, as one writer has written it. */
export interface SiblingName {
  readonly id: EntryId
  readonly generation: string
}

/** Name the objects of a storage: `<prefix>/<id>` for an entry, `<prefix>/.index/<id>.<generation>` for what it needs beside it. */
export class ObjectNames {
  readonly #prefix: string

  /** @param prefix - Without slashes at its ends; empty for the whole bucket. */
  constructor(prefix: string) {
    this.#prefix = prefix === '' ? '' : `${prefix}/`
  }

  entry(id: EntryId): string {
    return `${this.#prefix}${id}`
  }

  /** What the names of all entries start with whose ids start with `idPrefix`. */
  entries(idPrefix: string): string {
    return `${this.#prefix}${idPrefix}`
  }

  sibling(id: EntryId, generation: string): string {
    return `${this.#prefix}${SIBLINGS}${id}.${generation}`
  }

  /** What the names of all siblings of entries start with whose ids start with `idPrefix`. */
  siblings(idPrefix: string): string {
    return `${this.#prefix}${SIBLINGS}${idPrefix}`
  }

  /** Return the id of the entry that an object is; `undefined` for any other object. */
  idOf(key: string): EntryId | undefined {
    if (!key.startsWith(this.#prefix)) return undefined
    const id = key.slice(this.#prefix.length)
    return ID.test(id) ? id : undefined
  }

  /** Return what an object is a sibling of; `undefined` for any other object. */
  siblingOf(key: string): SiblingName | undefined {
    const start = `${this.#prefix}${SIBLINGS}`
    const dot = key.lastIndexOf('.')
    if (!key.startsWith(start) || dot < start.length) return undefined
    return { id: key.slice(start.length, dot), generation: key.slice(dot + 1) }
  }
}
