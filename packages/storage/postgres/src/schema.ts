import { assertFormat, StorageError } from '@spillway/core/driver'
import { checkedOptions } from './postgres-options.ts'

/** Adds the schema to the tables of a statement, which are written like `@entry`. */
export const withSchema = (sql: string, schema: string): string =>
  sql.replace(/@(?=[a-z])/g, () => `${quoteIdentifier(schema)}.`)

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Migrations. Each step creates the next version, and the first one creates version 1.
 *
 * - `format`: one row that has the version of the tables.
 * - `entry`: one row for each entry. `id` starts with the scope, so that a scope is a range of ids. `bytes` is the
 *   content. It is `NULL` if the content is in chunks. `content` is a random number. With this number, a reader finds no chunk after a removal, and never finds chunks of other content.
 * - `chunk`: parts of larger content. Values are stored without compression, so that only the requested bytes of a
 *   range are read.
 * - `pending`: content without an entry. It is being written while `renewed_at` is renewed. If that is 0, it was
 *   removed.
 * - `tombstone`: evicted entries. `place` is a counter in each scope.
 * - `event`: events of a journal. `id` is the scope, followed by `/`.
 * - `tenant`: with row-level security, the scopes that a role may use.
 */
export const SCHEMA_STEPS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS @format (version integer NOT NULL, row_level_security boolean NOT NULL);
INSERT INTO @format SELECT 1, false WHERE NOT EXISTS (SELECT FROM @format);
CREATE TABLE IF NOT EXISTS @entry (
  id text COLLATE "C" PRIMARY KEY,
  content uuid NOT NULL,
  size bigint NOT NULL,
  chunk_bytes integer NOT NULL,
  last_used_at double precision NOT NULL,
  description text NOT NULL,
  line_index text,
  bytes bytea
);
ALTER TABLE @entry ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS entry_use ON @entry (last_used_at, id);
CREATE TABLE IF NOT EXISTS @chunk (
  content uuid,
  number integer,
  id text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (content, number)
);
ALTER TABLE @chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS @pending (
  content uuid PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  renewed_at double precision NOT NULL
);
CREATE TABLE IF NOT EXISTS @tombstone (
  id text COLLATE "C" PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  reason text NOT NULL,
  description text NOT NULL,
  evicted_at double precision NOT NULL
);
CREATE INDEX IF NOT EXISTS tombstone_place ON @tombstone (scope, place);
CREATE INDEX IF NOT EXISTS tombstone_age ON @tombstone (evicted_at);
CREATE TABLE IF NOT EXISTS @event (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  event text NOT NULL
);
CREATE TABLE IF NOT EXISTS @tenant (role name, scope text COLLATE "C", PRIMARY KEY (role, scope));`,
]

/**
 * Policies for `current_user`: a role sees only ids below its scopes in `tenant`. The owner of the tables and
 * superusers see all rows. A role sees its own rows of `tenant`, and cannot write there.
 */
const ROW_LEVEL_SECURITY: string = ['entry', 'chunk', 'pending', 'tombstone', 'event']
  .map(
    (table) => `ALTER TABLE @${table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON @${table};
CREATE POLICY tenant ON @${table} USING (EXISTS (
  SELECT 1 FROM @tenant AS t WHERE t.role = current_user AND starts_with(id, t.scope || '/')
));
`,
  )
  .concat(
    `ALTER TABLE @tenant ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON @tenant;
CREATE POLICY tenant ON @tenant FOR SELECT USING (role = current_user);
UPDATE @format SET row_level_security = true;`,
  )
  .join('')

const SET_VERSION = `UPDATE @format SET version = ${SCHEMA_STEPS.length};`

/** Options of {@link postgresSchema}. */
export interface PostgresSchemaOptions {
  /** Schema of the tables. Defaults to `spillway`. */
  readonly schema?: string | undefined
  /** Whether to create the policies of `rowLevelSecurity`, too. Defaults to `false`. */
  readonly rowLevelSecurity?: boolean | undefined
}

/**
 * Return the SQL that creates the tables of a `PostgresStorage`. A role with this permission must run it. Create the
 * storage with `createTables: false`.
 *
 * @throws TypeError if a storage does not accept the name of the schema.
 *
 * @example
 * ```ts
 * import { postgresSchema } from '@spillway/postgres'
 *
 * console.assert(postgresSchema({ schema: 'agents' }).includes('"agents".entry'))
 * ```
 */
export function postgresSchema(options: PostgresSchemaOptions = {}): string {
  const { schema, rowLevelSecurity } = checkedOptions(options)
  const policies = rowLevelSecurity ? [ROW_LEVEL_SECURITY] : []
  const script = ['BEGIN;', createSchema(schema), ...SCHEMA_STEPS, SET_VERSION, ...policies, 'COMMIT;', '']
  return withSchema(script.join('\n'), schema)
}

const createSchema = (schema: string): string => `CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(schema)};`

/** Sends one or more statements, and returns the rows of the last statement. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>

export interface SchemaState {
  readonly version: number
  readonly hasPolicies: boolean
}

const FIND_TABLE = 'SELECT to_regclass($1) IS NOT NULL AS found'
const SELECT_FORMAT = 'SELECT version, row_level_security FROM @format'

/** Returns version 0 if there are no tables. If the tables have a newer version, it rejects with `unsupported`. */
export async function readSchema(
  query: Query,
  schema: string,
  known: number = SCHEMA_STEPS.length,
): Promise<SchemaState> {
  const [table] = await query(FIND_TABLE, [`${quoteIdentifier(schema)}.format`])
  if (table?.['found'] !== true) return { version: 0, hasPolicies: false }
  const [row] = await query(SELECT_FORMAT)
  const version = Number(row?.['version'])
  assertFormat('@spillway/postgres', version, known)
  return { version, hasPolicies: row?.['row_level_security'] === true }
}

export const isCurrent = ({ version, hasPolicies }: SchemaState, rowLevelSecurity: boolean): boolean =>
  version === SCHEMA_STEPS.length && (hasPolicies || !rowLevelSecurity)

/**
 * Migrates the tables within the caller's transaction. If several processes migrate at once, only one changes the
 * tables.
 */
export async function migrate(
  query: Query,
  schema: string,
  rowLevelSecurity: boolean,
  steps: readonly string[] = SCHEMA_STEPS,
): Promise<void> {
  await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`spillway ${schema}`])
  const { version, hasPolicies } = await readSchema(query, schema, steps.length)
  if (version === 0) {
    // Do not create an existing schema, because that needs a permission that its users may lack.
    const [found] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
    if (found === undefined) await query(createSchema(schema))
  }
  for (const step of steps.slice(version)) await query(step)
  if (version < steps.length) await query(`UPDATE @format SET version = ${steps.length}`)
  if (rowLevelSecurity && !hasPolicies) await query(ROW_LEVEL_SECURITY)
}

export function notCreatedError({ version }: SchemaState, schema: string, rowLevelSecurity: boolean): StorageError {
  const flags = `${schema === 'spillway' ? '' : ` --schema ${schema}`}${rowLevelSecurity ? ' --row-level-security' : ''}`
  const found =
    version === 0 ? 'has no tables yet' : version < SCHEMA_STEPS.length ? 'has older tables' : 'has no policies yet'
  return new StorageError(
    'unavailable',
    `The schema ${schema} ${found}, and createTables is false. The owner of the database must run the output of: spillway postgres schema${flags}`,
    { retryable: false },
  )
}
