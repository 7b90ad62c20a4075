import {
  assertFormat,
  decodeDescription,
  encodeDescription,
  type EntryDescription,
  type EntryId,
  type EntryInfo,
} from '@spillway/core/driver'

/** Where an entry is: its scope's keys have one hash tag, so that all of them are in one slot of a Cluster. */
export interface Place {
  /** What the keys of its scope begin with. */
  readonly tag: string
  readonly reference: string
  readonly id: EntryId
}

/** A key that belongs to a scope, taken apart. */
type ScopeKey =
  | { readonly kind: 'index' | 'evicted'; readonly path: string }
  | { readonly kind: 'entry'; readonly path: string; readonly reference: string }
  | {
      readonly kind: 'piece' | 'alive'
      readonly path: string
      readonly reference: string
      readonly nonce: string
    }

const PATH = /^[a-z0-9_/-]*$/
const NAME = /^(?:(index|evicted)|entry:([a-z0-9_]+)|(piece|alive):([a-z0-9_]+):([a-z0-9-]+)(?::\d+)?)$/

/**
 * Names of keys. Those of a scope are `{prefix:path}:…`:
 *
 * - `index`: a sorted set of references. The score is the last use, or, below zero, when the entry was evicted.
 * - `evicted`: a hash of what is remembered of evicted entries.
 * - `entry:<reference>`: a header, the description, the line index, and content of one piece.
 * - `piece:<reference>:<nonce>:<number>`: larger content. The nonce belongs to one writing of it.
 * - `alive:<reference>:<nonce>`: when its writer was last known to be alive.
 *
 * `{prefix}:scopes` names the scopes, `{prefix}:entered` says when a writer last entered each.
 */
export class Keys {
  readonly #prefix: string

  /** @param prefix - Without braces, spaces, and what is special in patterns of `SCAN`. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** The key of the set of all scopes. */
  get scopes(): string {
    return `{${this.#prefix}}:scopes`
  }

  /** The key of the set of the times at which scopes were entered. */
  get entered(): string {
    return `{${this.#prefix}}:entered`
  }

  tag(path: string): string {
    return `{${this.#prefix}:${path}}:`
  }

  place(id: EntryId): Place {
    const slash = id.lastIndexOf('/')
    return { id, tag: this.tag(id.slice(0, Math.max(0, slash))), reference: id.slice(slash + 1) }
  }

  /** The pattern of all keys of a scope and those below it. */
  pattern(path: string): string {
    return path === '' ? `{${this.#prefix}:*` : `{${this.#prefix}:${path}[}/]*`
  }

  /** Take a key apart; `undefined` where it is none of ours. */
  parse(key: string): ScopeKey | undefined {
    const start = `{${this.#prefix}:`
    const end = key.indexOf('}:')
    if (!key.startsWith(start) || end < 0) return undefined
    const path = key.slice(start.length, end)
    // With a colon it is a scope of a longer prefix.
    if (!PATH.test(path)) return undefined
    const [, plain, entry, kind, reference, nonce] = NAME.exec(key.slice(end + 2)) ?? []
    if (plain === 'index' || plain === 'evicted') return { kind: plain, path }
    if (entry !== undefined) return { kind: 'entry', path, reference: entry }
    if (reference === undefined || nonce === undefined) return undefined
    return kind === 'piece' || kind === 'alive' ? { kind, path, reference, nonce } : undefined
  }
}

export const indexKey = (tag: string): string => `${tag}index`

export const entryKey = ({ tag, reference }: Pick<Place, 'tag' | 'reference'>): string => `${tag}entry:${reference}`

/**
 * The keys that a script on entries names: while a slot of a Cluster moves, an entry that is on the other node must make
 * Redis refuse the script. It would look like one that is gone.
 */
export const scriptKeys = (tag: string, references: readonly string[]): string[] => [
  indexKey(tag),
  ...references.map((reference) => entryKey({ tag, reference })),
]

export const aliveKey = ({ tag, reference }: Pick<Place, 'tag' | 'reference'>, nonce: string): string =>
  `${tag}alive:${reference}:${nonce}`

export const pieceKey = ({ tag, reference }: Place, nonce: string, piece: number): string =>
  `${tag}piece:${reference}:${nonce}:${piece}`

/** Return the path of the scope that a driver's prefix of ids names: the prefix without its last `/`. */
export const scopeOfPrefix = (prefix: string): string => (prefix === '' ? '' : prefix.slice(0, -1))

/** Return the id of an entry of a scope. */
export const idIn = (path: string, reference: string): EntryId => (path === '' ? reference : `${path}/${reference}`)

/** Bytes in which the first line of every entry ends. */
export const MAX_HEADER_LINE_BYTES = 160

/** What the first line of an entry says. */
export interface EntryHeader {
  /** Different for each writing, so that what belongs to two of them is never mixed up. */
  readonly nonce: string
  readonly size: number
  /** Bytes of a piece; 0 where the content follows the header. */
  readonly pieceBytes: number
  /** Bytes of the description, of the line index, and of everything before the content. */
  readonly descriptionBytes: number
  readonly lineIndexBytes: number
  readonly length: number
}

/** Of what is stored under a key; it stands in the first line. */
const FORMAT = 1
const LINE = /^spillway\d{1,6} (\S+) (\d+) (\d+) (\d+) (\d+)\n/
const FORMAT_OF_LINE = /^spillway(\d{1,6}) /

/** Encode what comes before the content of an entry. */
export function encodeHeader(
  description: EntryDescription,
  content: { readonly nonce: string; readonly size: number; readonly pieceBytes: number },
  lineIndex: string | undefined,
): Buffer {
  const described = Buffer.from(encodeDescription(description))
  const lines = Buffer.from(lineIndex ?? '')
  const { nonce, size, pieceBytes } = content
  const line = `spillway${FORMAT} ${nonce} ${size} ${pieceBytes} ${described.length} ${lines.length}\n`
  return Buffer.concat([Buffer.from(line), described, lines])
}

/** Decode the first line of an entry; `undefined` where it is anything else. Throws `unsupported` for a newer format. */
export function decodeHeader(bytes: Buffer): EntryHeader | undefined {
  const text = bytes.toString('latin1', 0, MAX_HEADER_LINE_BYTES)
  assertFormat('@spillway/redis', Number(FORMAT_OF_LINE.exec(text)?.[1] ?? FORMAT), FORMAT)
  const line = LINE.exec(text)
  const [whole, nonce] = line ?? []
  if (line === null || whole === undefined || nonce === undefined) return undefined
  const [size = 0, pieceBytes = 0, descriptionBytes = 0, lineIndexBytes = 0] = line.slice(2).map(Number)
  const length = whole.length + descriptionBytes + lineIndexBytes
  return { nonce, size, pieceBytes, descriptionBytes, lineIndexBytes, length }
}

/** Decode the description behind a header; `undefined` where it is cut or anything else. */
export function decodeInfo(bytes: Buffer, header: EntryHeader, lastUsedAt: number): EntryInfo | undefined {
  const { size, length, lineIndexBytes, descriptionBytes } = header
  if (bytes.length < length) return undefined
  const lineIndexAt = length - lineIndexBytes
  const description = decodeDescription(bytes.toString('utf8', lineIndexAt - descriptionBytes, lineIndexAt))
  if (description === undefined) return undefined
  const { key, contentType, storedAt, metadata } = description
  const info: EntryInfo = { key, contentType, storedAt, metadata, size, lastUsedAt }
  return lineIndexBytes === 0 ? info : { ...info, lineIndex: bytes.toString('utf8', lineIndexAt, length) }
}
