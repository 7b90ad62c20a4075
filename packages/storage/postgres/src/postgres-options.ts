import { assertBoolean, assertMilliseconds, assertWhole } from '@spillway/core/driver'

const DEFAULT_SCHEMA = 'spillway'
const DEFAULT_CHUNK_BYTES = 131_072
const MIN_CHUNK_BYTES = 4_096
const MAX_CHUNK_BYTES = 1_048_576
const DEFAULT_TIMEOUT_MS = 10_000
/** Largest length of a name. PostgreSQL cuts longer names. */
const MAX_NAME_BYTES = 63

/** Options of storages and journals, with defaults filled in. */
export interface CheckedOptions {
  readonly schema: string
  readonly createTables: boolean
  readonly rowLevelSecurity: boolean
  readonly chunkBytes: number
  readonly timeoutMs: number
}

/** Checks options and fills in defaults. Throws a `TypeError` for an invalid option. */
export function checkedOptions({
  schema = DEFAULT_SCHEMA,
  createTables = true,
  rowLevelSecurity = false,
  chunkBytes = DEFAULT_CHUNK_BYTES,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: { readonly [Name in keyof CheckedOptions]?: CheckedOptions[Name] | undefined }): CheckedOptions {
  if (typeof schema !== 'string' || !/^[a-z_][\w-]*$/i.test(schema) || schema.length > MAX_NAME_BYTES)
    throw new TypeError(`schema must be a name of up to 63 letters, digits, _ and -, such as 'spillway'.`)
  assertBoolean('createTables', createTables)
  assertBoolean('rowLevelSecurity', rowLevelSecurity)
  assertWhole('chunkBytes', chunkBytes, MIN_CHUNK_BYTES, MAX_CHUNK_BYTES)
  assertMilliseconds('timeoutMs', timeoutMs)
  return { schema, createTables, rowLevelSecurity, chunkBytes, timeoutMs }
}

/** Throws a `TypeError` if the target of a storage or journal is neither a URL nor a pool. */
export function assertTarget(target: unknown, className: string): void {
  if (typeof target === 'string') {
    // After an unescaped special character, a part of the password counts as the host, which messages show.
    const { protocol = '', pathname = '', search = '', hash = '' } = URL.parse(target) ?? {}
    if (!/^postgres(?:ql)?:$/.test(protocol) || /[@:]/.test(pathname + hash) || search.includes('@'))
      throw new TypeError(
        'A URL of PostgreSQL is written postgres://user:password@host:port/database, with special characters of the password percent-encoded.',
      )
    return
  }
  const { connect, totalCount }: Readonly<Record<string, unknown>> = Object(target)
  if (typeof connect !== 'function' || typeof totalCount !== 'number')
    throw new TypeError(`${className} needs a URL such as postgres://localhost/app, or a Pool of pg: new Pool({ … }).`)
}
