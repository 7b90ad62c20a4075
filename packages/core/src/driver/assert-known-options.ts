/**
 * Refuse options that are no object, or have a name that is not known, with a `TypeError` that lists the names.
 *
 * @param options - What a caller gave.
 * @param names - The options that there are.
 * @param subject - Whose options they are, such as `SqliteStorage`.
 *
 * @example
 * ```ts
 * import { assertKnownOptions } from '@spillway/core/driver'
 *
 * const options: { readonly ttlMs?: number } = { ttlMs: 60_000 }
 * assertKnownOptions(options, ['ttlMs', 'maxBytes'], 'BucketStorage')
 * ```
 */
export function assertKnownOptions(options: unknown, names: readonly string[], subject: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(
      `${subject} takes an object of options, got ${Array.isArray(options) ? 'an array' : String(options)}.`,
    )
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw new TypeError(`Unknown storage option ${JSON.stringify(name)}. Known: ${names.join(', ')}.`)
}
