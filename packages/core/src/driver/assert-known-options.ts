/**
 * Reject options that are not an object or have an unknown name, with a `TypeError` that lists the known names.
 *
 * @param options - The options of a caller.
 * @param names - All known names.
 * @param subject - The owner of the options, for example `SqliteStorage`.
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
