import { assertKnownOptions } from '../../driver/assert-known-options.ts'
import { wrapStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import { EncryptedDriver } from './encrypted-driver.ts'
import {
  KeyRing,
  parseKey,
  parseNamedKey,
  type EncryptionKey,
  type FindKey,
  type KeyRingOptions,
  type NamedEncryptionKey,
  type ParsedKey,
} from './key-ring.ts'

const NAMES: readonly string[] = ['key', 'keys', 'nameKey'] satisfies (keyof EncryptedOptions)[]
const NAMES_OF_KEYS: readonly string[] = ['current', 'previous'] satisfies (keyof RotatingKeys)[]

/** The keys of a storage with key rotation. */
export interface RotatingKeys {
  /** Key for new content. */
  readonly current: EncryptionKey | NamedEncryptionKey
  /**
   * Keys of older content: a list, or a function that returns a key by the id stored with the content. Returned keys
   * are cached. If the function finds no key or fails, it is called again the next time.
   */
  readonly previous?: readonly (EncryptionKey | NamedEncryptionKey)[] | FindKey | undefined
}

/** Options of {@link encrypted}: pass `key`, or `keys` and `nameKey`. */
export interface EncryptedOptions {
  /** A single key for content and names: 32 random bytes, as bytes, 64 hexadecimal digits, or base64. */
  readonly key?: EncryptionKey | NamedEncryptionKey | undefined
  /** Keys of a storage with key rotation. Requires `nameKey`. */
  readonly keys?: RotatingKeys | undefined
  /**
   * Key from which names are derived. It must not change as long as the storage is used: pass the first `key`. Defaults
   * to `key`.
   */
  readonly nameKey?: EncryptionKey | undefined
}

/**
 * Encrypt a storage with AES-256-GCM: content in segments of 64 KiB, and keys, content types and metadata. Names of
 * entries and scopes become keyed digests.
 *
 * Content is `corrupt` if it was changed, cut or replaced, or was encrypted with an unknown key. The backend still
 * reveals sizes, times, and the number of entries of each scope.
 *
 * Settings, references and scopes are the same as in `storage`. Entries that were stored unencrypted are not found.
 * `locate` is missing, because a shell would read encrypted bytes. Closing the result closes `storage`. Do not use
 * `storage` directly. One storage has one `nameKey`.
 *
 * To compress, too, write `compressed(encrypted(storage, { key }))`. This compresses content before it is encrypted.
 *
 * @param storage - A storage of a Spillway backend or `createStorage` that is not compressed.
 * @throws TypeError for other storages, scopes, wrapped storages, and invalid keys.
 * @example
 * ```ts
 * import { encrypted } from '@spillway/core/wrappers'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const key = crypto.getRandomValues(new Uint8Array(32)) // from your secret store: `openssl rand -base64 32` makes one
 * const storage = encrypted(new InMemoryStorage(), { key })
 * const reference = await storage.scope('tenant-1').store('call_1_0', new TextEncoder().encode('secret'))
 * const { content } = await storage.scope('tenant-1').retrieve(reference)
 * console.assert(new TextDecoder().decode(content) === 'secret')
 * ```
 */
export function encrypted(storage: ManagedStorage, options: EncryptedOptions): ManagedStorage {
  const keys = new KeyRing(keyRingOptions(options))
  return wrapStorage(storage, 'encrypted', (driver) => new EncryptedDriver(driver, keys))
}

function keyRingOptions(options: EncryptedOptions): KeyRingOptions {
  assertKnownOptions(options, NAMES, 'encrypted()')
  const { key, keys, nameKey } = options
  if ((key === undefined) === (keys === undefined))
    throw new TypeError('encrypted() needs either key, or keys and nameKey if the key has changed.')
  if (keys === undefined) {
    const current = parseNamedKey(key, 'key')
    return { current, previous: [], nameSecret: nameKey === undefined ? current.secret : parseKey(nameKey, 'nameKey') }
  }
  assertKnownOptions(keys, NAMES_OF_KEYS, 'keys')
  if (nameKey === undefined)
    throw new TypeError(
      'keys needs nameKey: names in the backend are derived from it, and another one finds nothing. ' +
        'Pass the first key that the storage had, and keep it there when keys change.',
    )
  const current = parseNamedKey(keys.current, 'keys.current')
  return { current, ...previousKeys(keys.previous, current), nameSecret: parseKey(nameKey, 'nameKey') }
}

function previousKeys(
  previous: RotatingKeys['previous'] = [],
  current: ParsedKey,
): Pick<KeyRingOptions, 'previous' | 'findKey'> {
  if (typeof previous === 'function') return { previous: [], findKey: previous }
  if (!Array.isArray(previous))
    throw new TypeError('keys.previous must be a list of keys, or a function that finds a key by its id.')
  const parsed = previous.map((key: unknown, index) => parseNamedKey(key, `keys.previous[${index}]`))
  const ids = [current, ...parsed].flatMap(({ id }) => id ?? [])
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new TypeError(`Two keys have the id "${twice}". Give each key its own id.`)
  return { previous: parsed }
}
