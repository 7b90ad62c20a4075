import { parseJsonText, unicodeEscape } from '@spillway/text/internal'
import type { EntryInfo } from '../storage/storage-driver.ts'
import type { Metadata } from '../storage/storage.ts'
import { StorageError, type Eviction, type EvictionReason } from '../storage/storage-error.ts'

/** Description of an entry, which is written once and never changed. */
export type EntryDescription = Pick<EntryInfo, 'key' | 'contentType' | 'storedAt' | 'metadata'>

/** Encode a description as JSON for a column, a field or a header. With `ascii`, the JSON has only ASCII characters. */
export function encodeDescription(
  { key, contentType, storedAt, metadata }: EntryDescription,
  options: { readonly ascii?: boolean } = {},
): string {
  // JSON.stringify escapes lone surrogates, so that every key survives encoding as UTF-8.
  const json = JSON.stringify({ key, contentType, storedAt, metadata })
  return options.ascii === true ? json.replace(/[\u007f-\uffff]/g, unicodeEscape) : json
}

/** Decode the result of {@link encodeDescription}; `undefined` for any other text. Ignores unknown fields. */
export function decodeDescription(text: string): EntryDescription | undefined {
  const record = parseObject(text)
  if (record === undefined) return undefined
  const { key, contentType, storedAt, metadata } = record
  if (typeof key !== 'string' || typeof contentType !== 'string') return undefined
  if (typeof storedAt !== 'number' || !isMetadata(metadata)) return undefined
  return { key, contentType, storedAt, metadata }
}

/** Describe an entry whose description is damaged, so that it can be listed and removed. */
export const describeUnknown = (lastUsedAt: number, size = 0): EntryInfo => ({
  key: '',
  contentType: 'application/octet-stream',
  size,
  storedAt: lastUsedAt,
  lastUsedAt,
  metadata: {},
})

/**
 * Reject data of a newer format with `unsupported` and the package to update.
 *
 * @param packageName - The backend's package, for example `@spillway/redis`.
 * @param known - The newest supported format.
 */
export function assertFormat(packageName: string, format: number, known: number): void {
  if (format <= known) return
  throw new StorageError(
    'unsupported',
    `This was stored in format ${format} by a newer version, and this ${packageName} reads formats up to ${known}. Update ${packageName}.`,
  )
}

/** Parse a JSON object. Returns `undefined` for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJsonText(text)
  return isObject(value) ? value : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an object of strings. */
export const isMetadata = (value: unknown): value is Metadata =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')

const REASONS: readonly EvictionReason[] = ['turns', 'age', 'quota']

/** Parse a tombstone that was stored as JSON. Returns `undefined` for any other text. */
export function parseEviction(text: string): Eviction | undefined {
  const { reason, evictedAt, metadata } = parseObject(text) ?? {}
  const known = REASONS.find((one) => one === reason)
  if (known === undefined || typeof evictedAt !== 'number' || !isMetadata(metadata)) return undefined
  return { reason: known, evictedAt, metadata }
}
