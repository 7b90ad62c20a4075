import type { EventJournal, JournalEvent, Storage, StoredInfo } from '@spillway/core'
import { decodeSegment } from '@spillway/core/driver'

/** One row of the list: an entry, or an evicted entry that is only in the journal. */
export interface EntryRow {
  readonly reference: string
  /** Path of the entry's scope, relative to the shown scope. Empty for the shown scope. */
  readonly scope: string
  /** Text for the scope: its segments, or its path if a segment cannot be decoded. */
  readonly scopeTitle: string
  readonly key: string
  readonly tool: string
  readonly contentType: string
  readonly size: number
  readonly lines?: number | undefined
  readonly tokens?: number | undefined
  readonly state: StoredInfo['state'] | 'evicted'
  readonly reason?: string | undefined
  readonly storedAt: number
  /** Time of the last use. For an evicted entry, time of the eviction. */
  readonly lastUsedAt: number
  readonly expiresAt?: number | undefined
}

/** Parameters of {@link EntrySnapshot.page}. */
export interface EntryQuery {
  readonly text?: string | undefined
  readonly tool?: string | undefined
  readonly type?: string | undefined
  readonly scope?: string | undefined
  /** Time in milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly sort?: string | undefined
  readonly descending?: boolean | undefined
}

/** A part of a sorted list, and the id of the list, with which further parts are requested. */
export interface EntryPage {
  readonly view: string
  readonly total: number
  readonly bytes: number
  readonly entries: readonly EntryRow[]
  readonly tools: readonly string[]
  readonly types: readonly string[]
  /** Titles of scopes by their paths. */
  readonly scopes: Readonly<Record<string, string>>
}

type Choices = Pick<EntryPage, 'tools' | 'types' | 'scopes'>

interface View {
  readonly query: string
  readonly version: number
  readonly rows: readonly EntryRow[]
  readonly bytes: number
}

/** The journal's record of one result. */
interface Offloaded {
  readonly tool: string
  readonly tokens: number | undefined
  readonly time: number
}

const REFRESH_MS = 1_000
/** Factor between the duration of a listing and the pause after it. */
const PAUSE_FACTOR = 10
const MAX_VIEWS = 16
const MAX_CHOICES = 200

/** Holds the metadata of all entries of a scope and of nested scopes, and returns sorted pages of them. */
export class EntrySnapshot {
  readonly #storage: Storage
  readonly #journal: Pick<EventJournal, 'read'> | undefined
  /** Path of the shown scope, as in the journal. */
  readonly #path: string
  #rows: ReadonlyMap<string, EntryRow> = new Map()
  readonly #offloaded = new Map<string, Offloaded>()
  readonly #evicted = new Map<string, Extract<JournalEvent, { type: 'eviction' }>>()
  readonly #views = new Map<string, View>()
  #version = 0
  #readUntil = 0
  #refreshing: Promise<void> | undefined
  #refreshAt = 0
  #failure: { readonly error: unknown } | undefined
  #choices: { readonly version: number; readonly shown: Choices } | undefined

  constructor(storage: Storage, path: string, journal: Pick<EventJournal, 'read'> | undefined) {
    this.#storage = storage
    this.#path = path
    this.#journal = journal
  }

  /** Return the first entries of a query, and refresh the snapshot. Waits only if there is no snapshot yet. */
  async page(query: EntryQuery, limit: number): Promise<EntryPage> {
    await this.#refresh()
    const id = this.#viewOf(query)
    return { ...this.#choicesNow(), ...this.part(id, 0, limit)! }
  }

  /** Return a part of an earlier list; `undefined` if that list is no longer available. */
  part(id: string, offset: number, limit: number): Pick<EntryPage, 'view' | 'total' | 'bytes' | 'entries'> | undefined {
    const view = this.#views.get(id)
    if (view === undefined) return undefined
    const { rows, bytes } = view
    return { view: id, total: rows.length, bytes, entries: rows.slice(offset, offset + limit) }
  }

  /** Hide an entry that was just removed. */
  forget(scope: string, reference?: string): void {
    const isGone = (row: EntryRow): boolean =>
      reference === undefined
        ? scope === '' || `${row.scope}/`.startsWith(`${scope}/`)
        : row.scope === scope && row.reference === reference
    this.#rows = new Map([...this.#rows].filter(([, row]) => !isGone(row)))
    this.#version += 1
  }

  #viewOf(query: EntryQuery): string {
    const text = JSON.stringify(query)
    for (const [id, view] of this.#views) if (view.version === this.#version && view.query === text) return id
    const id = crypto.randomUUID()
    const rows = sorted([...this.#rows.values()].filter(matching(query)), query)
    const bytes = rows.reduce((sum, { size, state }) => sum + (state === 'evicted' ? 0 : size), 0)
    this.#views.set(id, { query: text, version: this.#version, rows, bytes })
    for (const old of this.#views.keys()) if (this.#views.size > MAX_VIEWS) this.#views.delete(old)
    return id
  }

  #choicesNow(): Choices {
    if (this.#choices?.version !== this.#version) {
      const rows = [...this.#rows.values()]
      const choices = (of: (row: EntryRow) => string): string[] =>
        [...new Set(rows.map(of))].filter(Boolean).toSorted().slice(0, MAX_CHOICES)
      const scopes = Object.fromEntries(choices(({ scope }) => scope).map((scope) => [scope, titleOf(scope)]))
      const shown = { tools: choices(({ tool }) => tool), types: choices(({ contentType }) => contentType), scopes }
      this.#choices = { version: this.#version, shown }
    }
    return this.#choices.shown
  }

  async #refresh(): Promise<void> {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure.error
    if (this.#refreshing === undefined && Date.now() >= this.#refreshAt) {
      const begin = Date.now()
      this.#refreshing = this.#list().finally(() => {
        this.#refreshing = undefined
        this.#refreshAt = Date.now() + Math.max(REFRESH_MS, PAUSE_FACTOR * (Date.now() - begin))
      })
    }
    // Callers wait only for the first listing, because listings may take long.
    if (this.#version === 0) await this.#refreshing
    else this.#refreshing?.catch((error: unknown) => (this.#failure = { error }))
  }

  async #list(): Promise<void> {
    await this.#readJournal()
    const rows = new Map<string, EntryRow>()
    let isChanged = this.#version === 0
    for await (const info of this.#storage.list!()) {
      const id = idOf(info.scope ?? '', info.reference)
      const known = this.#rows.get(id)
      const row = this.#rowOf(info)
      const isSame = known !== undefined && known.lastUsedAt === row.lastUsedAt && known.size === row.size
      isChanged ||= !isSame || known.state !== row.state || known.tokens !== row.tokens
      rows.set(id, row)
    }
    for (const [id, event] of this.#evicted) {
      if (rows.has(id)) continue
      rows.set(id, this.#rows.get(id)?.state === 'evicted' ? this.#rows.get(id)! : this.#evictedRow(id, event))
    }
    isChanged ||= rows.size !== this.#rows.size || [...rows.keys()].some((id) => !this.#rows.has(id))
    this.#rows = rows
    if (isChanged) this.#version += 1
  }

  async #readJournal(): Promise<void> {
    const since = this.#readUntil
    for await (const event of this.#journal?.read(since) ?? []) {
      const scope = relativeScope(this.#path, event.scope)
      if (scope === undefined) continue
      this.#readUntil = Math.max(this.#readUntil, event.time)
      if (event.type === 'eviction') this.#evicted.set(idOf(scope, event.reference), event)
      if (event.type !== 'offload') continue
      const { tool, references, tokens, time } = event
      for (const reference of references) {
        const known = { tool, time, tokens: references.length === 1 ? tokens.original : undefined }
        this.#offloaded.set(idOf(scope, reference), known)
      }
    }
  }

  #rowOf(info: StoredInfo): EntryRow {
    const { reference, scope = '', key, contentType, size, state, storedAt, lastUsedAt, expiresAt, metadata } = info
    const id = idOf(scope, reference)
    const known = this.#offloaded.get(id)
    const scopeTitle = this.#rows.get(id)?.scopeTitle ?? titleOf(scope)
    const count = (name: string): number | undefined =>
      metadata[name] === undefined ? undefined : Number(metadata[name])
    const tool = metadata['tool'] ?? known?.tool ?? ''
    const tokens = count('tokens') ?? known?.tokens
    const times = { storedAt, lastUsedAt, expiresAt }
    const where = { reference, scope, scopeTitle, key }
    return { ...where, tool, contentType, size, lines: count('lines'), tokens, state, ...times }
  }

  #evictedRow(id: string, { reference, size, reason, time }: Extract<JournalEvent, { type: 'eviction' }>): EntryRow {
    const { tool = '', tokens, time: storedAt = time } = this.#offloaded.get(id) ?? {}
    const scope = id.slice(0, Math.max(0, id.length - reference.length - 1))
    const where = { reference, scope, scopeTitle: titleOf(scope), key: '' }
    const unknown = { contentType: '', lines: undefined, expiresAt: undefined }
    return { ...where, tool, size, tokens, reason, storedAt, lastUsedAt: time, state: 'evicted', ...unknown }
  }
}

const idOf = (scope: string, reference: string): string => (scope === '' ? reference : `${scope}/${reference}`)

/** Return the path of a scope relative to `path`; `undefined` for a scope outside it. */
export function relativeScope(path: string, scope: string): string | undefined {
  if (path === '') return scope
  if (scope === path) return ''
  return scope.startsWith(`${path}/`) ? scope.slice(path.length + 1) : undefined
}

function matching({ text = '', tool, type, scope, since }: EntryQuery): (row: EntryRow) => boolean {
  const words = text.toLowerCase()
  return (row) =>
    (tool === undefined || row.tool === tool) &&
    (type === undefined || row.contentType === type) &&
    (scope === undefined || `${row.scope}/`.startsWith(`${scope}/`)) &&
    (since === undefined || row.storedAt >= since) &&
    (words === '' ||
      `${row.reference}\n${row.key}\n${row.tool}\n${row.scope}\n${row.scopeTitle}`.toLowerCase().includes(words))
}

function sorted(rows: EntryRow[], { sort = 'storedAt', descending = true }: EntryQuery): readonly EntryRow[] {
  const column = Object.hasOwn(rows[0] ?? {}, sort) ? (sort as keyof EntryRow) : 'storedAt'
  const direction = descending ? -1 : 1
  return rows.sort((one, other) => {
    const [a, b] = [one[column], other[column]]
    if (a !== b) {
      // Unknown values are last in both directions.
      if (a === undefined) return 1
      if (b === undefined) return -1
      return a < b ? -direction : direction
    }
    return one.reference < other.reference ? -1 : 1
  })
}

/** Decode the path of a scope. Returns `undefined` if a name cannot be decoded. */
export function decodeScope(path: string): string[] | undefined {
  const segments = path === '' ? [] : path.split('/').map(decodeSegment)
  return segments.every((segment) => segment !== undefined) ? segments : undefined
}

const titleOf = (scope: string): string => decodeScope(scope)?.join(' / ') ?? scope
