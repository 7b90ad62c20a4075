import { usageError } from './cli-error.ts'

/** What a parameter of a store's URL sets, by its name. */
export type ParameterReaders<Settings> = Readonly<Record<string, (value: string) => Settings>>

/**
 * Read the parameters behind the question mark of a store's URL into settings.
 *
 * @param store - What the URL names, such as `an S3 store`.
 *
 * Throws a {@link CliError} `usage` for one that is unknown, with those that are known, or is given twice.
 */
export function readParameters<Settings extends object>(
  query: string,
  readers: ParameterReaders<Settings>,
  store: string,
): Settings {
  const seen = new Set<string>()
  const settings: Settings[] = []
  for (const [name, value] of new URLSearchParams(query)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read === undefined)
      throw usageError(`The URL of ${store} has an unknown parameter. Known: ${Object.keys(readers).join(', ')}.`)
    if (seen.has(name)) throw usageError(`The parameter ${name} of ${store} is given twice.`)
    if (value === '') throw usageError(`The parameter ${name} of ${store} must not be empty.`)
    seen.add(name)
    settings.push(read(value))
  }
  return Object.assign({}, ...settings) as Settings
}
