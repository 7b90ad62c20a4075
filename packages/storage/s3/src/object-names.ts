import {
  assertFormat,
  decodeDescription,
  encodeDescription,
  parseObject,
  type EntryDescription,
  type EntryId,
} from '@spillway/core/driver'

/** Ids of entries contain no dot, so names of siblings never equal them. */
const SIBLINGS = '.index/'
const ID = /^(?:[a-z0-9_-]{1,64}\/)*[a-z0-9_]{1,64}$/

/** Names of entries are `<prefix>/<id>`, and names of siblings are `<prefix>/.index/<id>.<generation>`. */
export class ObjectNames {
  readonly #prefix: string

  /** @param prefix - The prefix has no slashes at its ends. It is empty for the whole bucket. */
  constructor(prefix: string) {
    this.#prefix = prefix === '' ? '' : `${prefix}/`
  }

  entry(id: EntryId): string {
    return `${this.#prefix}${id}`
  }

  entries(idPrefix: string): string {
    return `${this.#prefix}${idPrefix}`
  }

  sibling(id: EntryId, generation: string): string {
    return `${this.#prefix}${SIBLINGS}${id}.${generation}`
  }

  siblings(idPrefix: string): string {
    return `${this.#prefix}${SIBLINGS}${idPrefix}`
  }

  idOf(key: string): EntryId | undefined {
    if (!key.startsWith(this.#prefix)) return undefined
    const id = key.slice(this.#prefix.length)
    return ID.test(id) ? id : undefined
  }

  siblingOf(key: string): { readonly id: EntryId; readonly generation: string } | undefined {
    const start = `${this.#prefix}${SIBLINGS}`
    const dot = key.lastIndexOf('.')
    if (!key.startsWith(start) || dot < start.length) return undefined
    return { id: key.slice(start.length, dot), generation: key.slice(dot + 1) }
  }
}

/** Largest size of the metadata. S3 allows 2,048 bytes for its names and values. */
const MAX_METADATA_BYTES = 2_000
const PRINTABLE = /^[!-~]+$/

export interface ObjectMetadata {
  readonly generation: string
  readonly lastUsedAt: number
  /** Size of the content. Absent if it was unknown when the upload started. */
  readonly size?: number | undefined
  /** Whether a sibling object has further data. */
  readonly hasSibling: boolean
  readonly description?: EntryDescription | undefined
  readonly lineIndex?: string | undefined
}

/** Data that is too large for metadata, or unknown when the upload starts. */
export interface SiblingContent {
  readonly description: EntryDescription
  readonly size: number
  readonly lineIndex?: string | undefined
}

/** Format of objects and siblings. Objects of format 1 do not contain the number. */
const FORMAT = 1

/** Leaves out values that are too large, and sets {@link ObjectMetadata.hasSibling}. */
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

/** Returns `undefined` for metadata of other programs. Throws `unsupported` for a newer format. */
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

export function encodeSibling({ description, size, lineIndex }: SiblingContent): Uint8Array {
  const record = { description: encodeDescription(description), size, lineIndex }
  return new TextEncoder().encode(JSON.stringify(record))
}

export function decodeSibling(content: Uint8Array): SiblingContent | undefined {
  const { description, size, lineIndex } = parseObject(new TextDecoder().decode(content)) ?? {}
  const decoded = typeof description === 'string' ? decodeDescription(description) : undefined
  if (decoded === undefined || typeof size !== 'number') return undefined
  return { description: decoded, size, lineIndex: typeof lineIndex === 'string' ? lineIndex : undefined }
}

/** Escapes JSON for a header: some servers merge spaces, and some decode `=?…?=`. */
const headerText = (json: string): string =>
  json.replace(/ (?= )/g, String.raw`\u0020`).replaceAll('=?', String.raw`\u003d?`)

const bytesOf = (fields: Readonly<Record<string, string>>): number =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

const naturalOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined
