import {
  assertFormat,
  decodeDescription,
  encodeDescription,
  type EntryDescription,
  type EntryId,
} from '@spillway/core/driver'

/** No entry's id has a dot in it, so that what belongs to an entry has a place of its own. */
const SIBLINGS = '.index/'
const ID = /^(?:[a-z0-9_-]{1,64}\/)*[a-z0-9_]{1,64}$/

/** What a sibling object belongs to: an entry, as one writer has written it. */
interface SiblingName {
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

/** Names and values of an object's metadata may have 2,048 bytes together on S3. */
const MAX_METADATA_BYTES = 2_000
const PRINTABLE = /^[!-~]+$/

/** What the metadata of an object say of an entry. */
export interface ObjectMetadata {
  /** Of the writer; a sibling object has it in its name. */
  readonly generation: string
  readonly lastUsedAt: number
  /** Bytes of the content; absent where they were not known before its end. */
  readonly size?: number | undefined
  /** Whether a sibling object has what is not here. */
  readonly hasSibling: boolean
  readonly description?: EntryDescription | undefined
  readonly lineIndex?: string | undefined
}

/** What a sibling object has: what does not fit into metadata, or was known too late for them. */
export interface SiblingContent {
  readonly description: EntryDescription
  readonly size: number
  readonly lineIndex?: string | undefined
}

/** Of an object and its sibling. Format 1 has no field that says so. */
const FORMAT = 1

/** Write metadata, without what does not fit; {@link ObjectMetadata.hasSibling} is set where that is so. */
export function encodeMetadata(metadata: ObjectMetadata): Record<string, string> {
  const { generation, lastUsedAt, size, description, lineIndex } = metadata
  const fields: Record<string, string> = { 'spillway-generation': generation, 'spillway-used': String(lastUsedAt) }
  if (size !== undefined) fields['spillway-size'] = String(size)
  let { hasSibling } = metadata
  let left = MAX_METADATA_BYTES - bytesOf(fields) - bytesOf({ 'spillway-sibling': '1' })
  const add = (name: string, value: string, fits: boolean): void => {
    left -= name.length + value.length
    if (fits && left >= 0) fields[name] = value
    else hasSibling = true
  }
  if (description !== undefined) add('spillway', headerText(encodeDescription(description, { ascii: true })), true)
  if (lineIndex !== undefined) add('spillway-lines', lineIndex, PRINTABLE.test(lineIndex))
  if (hasSibling) fields['spillway-sibling'] = '1'
  return fields
}

/** Read metadata that {@link encodeMetadata} wrote; `undefined` where an object has others. Throws `unsupported` for a newer format. */
export function decodeMetadata(fields: Readonly<Record<string, string>> | undefined): ObjectMetadata | undefined {
  assertFormat('@spillway/s3', naturalOf(fields?.['spillway-format']) ?? FORMAT, FORMAT)
  const generation = fields?.['spillway-generation']
  const lastUsedAt = naturalOf(fields?.['spillway-used'])
  if (generation === undefined || lastUsedAt === undefined) return undefined
  const description = fields?.['spillway']
  return {
    generation,
    lastUsedAt,
    size: naturalOf(fields?.['spillway-size']),
    hasSibling: fields?.['spillway-sibling'] !== undefined,
    description: description === undefined ? undefined : decodeDescription(description),
    lineIndex: fields?.['spillway-lines'],
  }
}

/** Write what a sibling object has. */
export function encodeSibling({ description, size, lineIndex }: SiblingContent): Uint8Array {
  const record = { description: encodeDescription(description), size, lineIndex }
  return new TextEncoder().encode(JSON.stringify(record))
}

/** Read what {@link encodeSibling} wrote; `undefined` for anything else. */
export function decodeSibling(content: Uint8Array): SiblingContent | undefined {
  const record = parse(new TextDecoder().decode(content))
  const { description, size, lineIndex } = (record ?? {}) as Readonly<Record<string, unknown>>
  const decoded = typeof description === 'string' ? decodeDescription(description) : undefined
  if (decoded === undefined || typeof size !== 'number') return undefined
  return { description: decoded, size, lineIndex: typeof lineIndex === 'string' ? lineIndex : undefined }
}

/** JSON as a header: servers and signatures fold runs of spaces, and some decode `=?…?=`. */
const headerText = (json: string): string =>
  json.replace(/ (?= )/g, String.raw`\u0020`).replaceAll('=?', String.raw`\u003d?`)

const bytesOf = (fields: Readonly<Record<string, string>>): number =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

const naturalOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
