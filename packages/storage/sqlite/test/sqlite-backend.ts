/** Opens the storage in any process, and checks its database from outside; see `internal/storage-suite`. */
import type { ManagedStorageOptions, StoredInfo } from '@spillway/core'
import { SqliteStorage } from '../src/index.ts'
import { inDatabase } from './support/in-database.ts'

interface Config {
  readonly path: string
}

export const open = ({ path }: Config, options: ManagedStorageOptions): SqliteStorage =>
  new SqliteStorage({ path, busyTimeoutMs: 30_000, ...options })

/** Return rows that no entry needs, and entries whose rows are missing. */
export async function residue({ path }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  return inDatabase(path, (database) => {
    const count = (sql: string): number => database.prepare(`SELECT count(*) FROM ${sql}`).pluck().get() as number
    const owned = 'SELECT 1 FROM spillway_entry WHERE content'
    const found = [
      ['contents that belong to no entry', count('spillway_loose')],
      ['chunks without an entry', count(`spillway_chunk WHERE NOT EXISTS (${owned} = number >> 20)`)],
      ['line indexes without an entry', count(`spillway_lines AS lines WHERE NOT EXISTS (${owned} = lines.content)`)],
      ['entries that are not listed', count('spillway_entry') - entries.length],
      [
        'contents that two entries share',
        count('spillway_entry') - count('(SELECT DISTINCT content FROM spillway_entry)'),
      ],
    ] as const
    const damaged = database.pragma('integrity_check', { simple: true })
    return [
      ...found.filter(([, rows]) => rows !== 0).map(([what, rows]) => `${rows} ${what}`),
      ...(damaged === 'ok' ? [] : [String(damaged)]),
    ]
  })
}
