import type { EntryInfo } from '../storage/storage-driver.ts'
import type { Metadata } from '../storage/storage.ts'
import { StorageError } from '../storage/storage-error.ts'

/** What is said of an entry when it is first written and never changes. */
export type EntryDescription = Pick<EntryInfo, 'key' | 'contentType' | 'storedAt' | 'metadata'>

/**
 * Write a description as JSON, for a column, a field or a header. Only ASCII occurs in it where `ascii` is set.
 *
 * @example
 * ```ts
 * import { decodeDescription, encodeDescription } from '@spillway/core/driver'
 *
 * const description = { key: 'call_1', contentType: 'text/plain', storedAt: 1_700_000_000_000, metadata: { tool: 'bash' } }
 * console.assert(decodeDescription(encodeDescription(description))?.metadata['tool'] === 'bash')
 * ```
 */
export function encodeDescription(
  { key, contentType, storedAt, metadata }: EntryDescription,
  options: { readonly ascii?: boolean } = {},
): string {
  // JSON.stringify writes lone surrogates as escapes, so that any key survives as UTF-8.
  const json = JSON.stringify({ key, contentType, storedAt, metadata })
  return options.ascii === true ? json.replace(/[\u007f-\uffff]/g, escaped) : json
}

/**
 * Read a description that {@link encodeDescription} wrote; `undefined` where the text is anything else. Fields beside
 * those of a description are left alone.
 *
 * @example
 * ```ts
 * import { decodeDescription } from '@spillway/core/driver'
 *
 * console.assert(decodeDescription('{"key":7}') === undefined)
 * ```
 */
export function decodeDescription(text: string): EntryDescription | undefined {
  const record = parseObject(text)
  if (record === undefined) return undefined
  const { key, contentType, storedAt, metadata } = record
  if (typeof key !== 'string' || typeof contentType !== 'string') return undefined
  if (typeof storedAt !== 'number' || !isMetadata(metadata)) return undefined
  return { key, contentType, storedAt, metadata }
}

/**
 * Refuse data of a newer format: `unsupported`, with the package to update.
 *
 * @param packageName - The backend's package, such as `@spillway/redis`.
 * @param known - The newest format that it reads.
 *
 * @example
 * ```ts
 * import { assertFormat } from '@spillway/core/driver'
 *
 * assertFormat('@spillway/redis', 1, 1)
 * ```
 */
export function assertFormat(packageName: string, format: number, known: number): void {
  if (format <= known) return
  throw new StorageError(
    'unsupported',
    `This was stored in format ${format} by a newer version, and this ${packageName} reads formats up to ${known}. Update ${packageName}.`,
  )
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMetadata = (value: unknown): value is Metadata =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
