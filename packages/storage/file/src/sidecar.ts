import type { EntryInfo, Metadata } from '@spillway/core/driver'
import { isExtension } from './paths.ts'

/** What a sidecar says of the content beside it. Its last use is the time of the file's last modification. */
export interface Sidecar {
  readonly info: EntryInfo
  /** The extension of the content's file. */
  readonly extension: string
  /** Set where the last use is in the sidecar itself, because the file system could not set the time of a file. */
  readonly holdsLastUse?: true
}

/** Encode a sidecar. Pass `holdsLastUse` where the file system cannot set the time of a file. */
export function encodeSidecar({ info, extension }: Sidecar, holdsLastUse = false): Uint8Array {
  const { key, contentType, size, storedAt, lastUsedAt, metadata, lineIndex } = info
  const kept = holdsLastUse ? { lastUsedAt } : {}
  const record = { version: 1, key, contentType, extension, size, storedAt, ...kept, metadata, lineIndex }
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`)
}

/** Decode a sidecar that was last modified at `modifiedAt`; `undefined` where it is not what was written. */
export function decodeSidecar(bytes: Uint8Array, modifiedAt: number): Sidecar | undefined {
  const record = parseObject(bytes)
  if (record === undefined) return undefined
  const { version, key, contentType, extension, size, storedAt, lastUsedAt, metadata, lineIndex } = record
  if (version !== 1 || typeof key !== 'string' || typeof contentType !== 'string') return undefined
  if (!isExtension(extension) || !isCount(size) || typeof storedAt !== 'number' || !isMetadata(metadata))
    return undefined
  if (lineIndex !== undefined && typeof lineIndex !== 'string') return undefined
  const info: EntryInfo = {
    key,
    contentType,
    size,
    storedAt,
    lastUsedAt: typeof lastUsedAt === 'number' ? lastUsedAt : modifiedAt,
    metadata,
    ...(lineIndex === undefined ? {} : { lineIndex }),
  }
  return lastUsedAt === undefined ? { info, extension } : { info, extension, holdsLastUse: true }
}

/** Parse a JSON object; `undefined` where the bytes are anything else. */
export function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Tell whether a value read from a file is metadata. */
export function isMetadata(value: unknown): value is Metadata {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  )
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
