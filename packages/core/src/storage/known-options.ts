/**
 * Reject options that are not an object or have an unknown name, with a `TypeError` that lists the known names.
 *
 * @param options - The options of a caller.
 * @param names - All known names.
 * @param subject - The owner of the options, for example `SqliteStorage`.
 */
export function assertKnownOptions(options: unknown, names: readonly string[], subject: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options) || options instanceof URL)
    throw new TypeError(`${subject} takes an object of options, got ${shown(options)}.`)
  for (const name of Object.keys(options))
    if (!names.includes(name))
      throw new TypeError(`Unknown option ${JSON.stringify(name)}. Known: ${names.join(', ')}.`)
}

/** Show a value in the error of an invalid option. Text is in quotes, because `'10'` would look like a number. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 80))}`
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  if (value instanceof URL) return 'a URL'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
