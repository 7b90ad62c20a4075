import { assertKnownOptions } from '../../driver/assert-known-options.ts'
import { wrapStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import { findCodec, MAX_BLOCK_BYTES, type CodecName } from './block-table.ts'
import { compressedDriver, type CompressionSettings } from './compressed-driver.ts'

const NAMES: readonly string[] = [
  'codec',
  'level',
  'blockBytes',
  'minBytes',
  'minSaving',
] satisfies (keyof CompressedOptions)[]
const DEFAULT_LEVEL = 3
const MAX_LEVEL: Readonly<Record<CodecName, number>> = { gzip: 9, zstd: 22 }
const DEFAULT_BLOCK_BYTES = 262_144
const MIN_BLOCK_BYTES = 4_096
const DEFAULT_MIN_BYTES = 4_096
const DEFAULT_MIN_SAVING = 0.1

/** Options of {@link compressed}. */
export interface CompressedOptions {
  /**
   * How new content is compressed: `gzip`, which every runtime reads; `zstd`, which is faster and smaller, and needs Node.js
   * 22.15 or newer wherever it is read; or `auto`, `zstd` where there is one. Defaults to `gzip`.
   */
  readonly codec?: CodecName | 'auto' | undefined
  /** From 1, the fastest, to 9 for gzip and 22 for zstd. Defaults to 3. Without Node.js, gzip has no levels. */
  readonly level?: number | undefined
  /** Bytes that are compressed together, and decompressed to read any of them, from 4 KiB to 16 MiB. Defaults to 256 KiB. */
  readonly blockBytes?: number | undefined
  /** Leave content below this size as it is, in bytes. Defaults to 4,096. */
  readonly minBytes?: number | undefined
  /**
   * Leave content as it is whose first block does not shrink by this share of itself. Defaults to 0.1; with 0 everything is
   * compressed but types that are compressed already.
   */
  readonly minSaving?: number | undefined
}

/**
 * Compress what a storage keeps: content is cut into blocks, so that a part of it is read without the rest.
 *
 * Content stays as it is where it is small, of a type that is compressed already (`image/png`, `application/zip`, …), or its
 * first block does not shrink by a tenth. What was stored before is read as it is. Settings, references and scopes are those
 * of `storage`; `maxBytes` counts bytes before compression. `locate` is left out: a shell would find compressed bytes.
 * Closing the result closes `storage`, which should not be used beside it.
 *
 * @param storage - A storage of a Spillway backend or of `createStorage`, also an encrypted one.
 * @throws TypeError for other storages, scopes, storages that are compressed already, and options that cannot be.
 *
 * @example
 * ```ts
 * import { compressed } from '@spillway/core/wrappers'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = compressed(new InMemoryStorage())
 * const log = new TextEncoder().encode('GET /health 200\n'.repeat(10_000))
 * const reference = await storage.store('call_1_0', log)
 * const { content, size } = await storage.retrieveRange(reference, { offset: 16, length: 15 })
 * console.assert(size === 160_000 && new TextDecoder().decode(content) === 'GET /health 200')
 * ```
 */
export function compressed(storage: ManagedStorage, options: CompressedOptions = {}): ManagedStorage {
  const settings = settingsOf(options)
  return wrapStorage(storage, 'compressed', (driver) => compressedDriver(driver, settings))
}

function settingsOf(options: CompressedOptions): CompressionSettings {
  assertKnownOptions(options, NAMES, 'compressed()')
  const { blockBytes = DEFAULT_BLOCK_BYTES, minBytes = DEFAULT_MIN_BYTES, level = DEFAULT_LEVEL } = options
  const { minSaving = DEFAULT_MIN_SAVING } = options
  const name = codecName(options.codec)
  const codec = findCodec(name)
  if (codec === undefined)
    throw new TypeError("codec 'zstd' needs Node.js 22.15 or newer. Use 'gzip', or 'auto' to take what there is.")
  if (!Number.isInteger(level) || level < 1 || level > MAX_LEVEL[name])
    throw new TypeError(`level must be a whole number from 1 to ${MAX_LEVEL[name]} for ${name}, got ${level}.`)
  if (!Number.isInteger(blockBytes) || blockBytes < MIN_BLOCK_BYTES || blockBytes > MAX_BLOCK_BYTES)
    throw new TypeError(
      `blockBytes must be a whole number from ${MIN_BLOCK_BYTES} to ${MAX_BLOCK_BYTES}, got ${blockBytes}.`,
    )
  if (!Number.isInteger(minBytes) || minBytes < 0)
    throw new TypeError(`minBytes must be a whole number of bytes, 0 or more, got ${minBytes}.`)
  if (typeof minSaving !== 'number' || !(minSaving >= 0 && minSaving < 1))
    throw new TypeError(`minSaving must be a number from 0 to below 1, got ${minSaving}.`)
  return { name, codec, level, blockBytes, minBytes, minSaving }
}

function codecName(codec: unknown = 'gzip'): CodecName {
  if (codec === 'gzip' || codec === 'zstd') return codec
  if (codec === 'auto') return findCodec('zstd') === undefined ? 'gzip' : 'zstd'
  throw new TypeError(`codec must be 'gzip', 'zstd' or 'auto', got ${JSON.stringify(codec)}.`)
}
