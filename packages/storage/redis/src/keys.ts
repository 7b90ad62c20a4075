import {
  assertFormat,
  decodeDescription,
  encodeDescription,
  splitId,
  type EntryDescription,
  type EntryId,
  type EntryInfo,
} from '@spillway/core/driver'

/** Place of an entry. All keys of a scope share its hash tag, and so one slot of a Cluster. */
export interface Place {
  readonly tag: string
  readonly reference: string
  readonly id: EntryId
}

/** A key of a scope: an entry with its reference, a chunk with its writer, or the index. */
interface ScopeKey {
  readonly key: string
  readonly path: string
  readonly reference: string | undefined
  readonly writer: string | undefined
}

const PATH = /^[a-z0-9_/-]*$/
const NAME = /^(?:index|entry:([a-z0-9_]+)|piece:([a-z0-9_]+:[a-z0-9-]+):\d+)$/

/**
 * Key names. The keys of a scope begin with `{prefix:path}:`.
 *
 * - `index`: sorted set of references. The score is the last use. A negative score is the time of an eviction.
 * - `evicted`: hash of tombstones.
 * - `entry:<reference>`: header, description, line index, and the content of small entries.
 * - `piece:<reference>:<nonce>:<number>`: larger content. Each write has a different nonce.
 * - `writers`: sorted set of `<reference>:<nonce>` with the last heartbeat of each writer of larger content.
 *
 * `{prefix}:scopes` lists the scopes. `{prefix}:entered` has the time at which writers last added each scope.
 */
export class Keys {
  readonly #prefix: string

  /** @param prefix - The prefix must not contain braces, spaces, or special characters of `SCAN` patterns. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  get scopes(): string {
    return `{${this.#prefix}}:scopes`
  }

  get entered(): string {
    return `{${this.#prefix}}:entered`
  }

  tag(path: string): string {
    return `{${this.#prefix}:${path}}:`
  }

  place(id: EntryId): Place {
    const { path, reference } = splitId(id)
    return { id, tag: this.tag(path), reference }
  }

  pattern(path: string): string {
    return path === '' ? `{${this.#prefix}:*` : `{${this.#prefix}:${path}[}/]*`
  }

  parse(key: string): ScopeKey | undefined {
    const start = `{${this.#prefix}:`
    const end = key.indexOf('}:')
    if (!key.startsWith(start) || end < 0) return undefined
    const path = key.slice(start.length, end)
    const name = NAME.exec(key.slice(end + 2))
    // A path with a colon belongs to a storage with a longer prefix.
    if (name === null || !PATH.test(path)) return undefined
    return { key, path, reference: name[1], writer: name[2] }
  }
}

export const indexKey = (tag: string): string => `${tag}index`

export const entryKey = ({ tag, reference }: Pick<Place, 'tag' | 'reference'>): string => `${tag}entry:${reference}`

/** Entry keys are passed to scripts, too: Redis then refuses a script while a slot moves. */
export const scriptKeys = (tag: string, references: readonly string[]): string[] => [
  indexKey(tag),
  ...references.map((reference) => entryKey({ tag, reference })),
]

export const writersKey = (tag: string): string => `${tag}writers`

export const pieceKey = ({ tag, reference }: Place, nonce: string, piece: number): string =>
  `${tag}piece:${reference}:${nonce}:${piece}`

export const scopeOfPrefix = (prefix: string): string => (prefix === '' ? '' : prefix.slice(0, -1))

export const MAX_HEADER_LINE_BYTES = 160

export interface EntryHeader {
  /** Different for each write, so that two writes are never mixed. */
  readonly nonce: string
  readonly size: number
  /** Size of a chunk. 0 if the content follows the header. */
  readonly pieceBytes: number
  /** Size of the description, the line index, and everything else before the content. */
  readonly descriptionBytes: number
  readonly lineIndexBytes: number
  readonly length: number
}

const FORMAT = 1
const LINE = /^spillway\d{1,6} (\S+) (\d+) (\d+) (\d+) (\d+)\n/
const FORMAT_OF_LINE = /^spillway(\d{1,6}) /

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

/** Returns `undefined` for invalid bytes. Throws `unsupported` for a newer format. */
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

/** Returns `undefined` for an incomplete or invalid description. */
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
