import { join } from 'node:path'
import { logs } from '../preview/lib/cases.mjs'
import { readGroups } from '../preview/lib/groups.ts'
import { dropImpossible } from '../preview/lib/score.mjs'
import { longerThan } from '../preview/lib/tokens.mjs'

/** A log of the data, and the lines that answer its question. */
export interface LogCase {
  readonly id: string
  /** The project or the family of tools. Groups with several names are joined. */
  readonly group: string
  readonly domain: 'real' | 'made'
  /** Whether no rule was written with knowledge of the project. */
  readonly isNew: boolean
  /** Whether the license of the log is recorded. */
  readonly hasLicense: boolean
  readonly text: string
  /** Texts that the metric of `benchmarks/preview` searches for. */
  readonly gold: { readonly units: readonly string[]; readonly wholeWord: boolean }
  /** The labeled answer lines: 1-based, inclusive. */
  readonly ranges: ReadonlyArray<readonly [number, number]> | undefined
}

type LoadedCase = Omit<LogCase, 'domain'>

/** Folders with logs, in the data folder. */
const FOLDERS = [
  { folder: 'logs', domain: 'real' },
  { folder: 'more/logs', domain: 'real' },
  { folder: 'made', domain: 'made' },
] as const

/** Minimum size in tokens. Shorter logs are shown whole. */
const LEAST_TOKENS = 2_000

/** Load the logs that are longer than a preview, each with its joined group. */
export function loadLogs(data: string): LogCase[] {
  const loaded = FOLDERS.flatMap(({ folder, domain }) =>
    (logs(join(data, folder)) as LoadedCase[]).map((log) => ({ ...log, category: 'logs', domain })),
  )
  const groupOf = readGroups(data)
  return loaded
    .filter((log) => (dropImpossible(log), log.gold.units?.length > 0 && longerThan(log.text, LEAST_TOKENS)))
    .map(({ id, group, domain, isNew, hasLicense, text, gold, ranges }) => ({
      id,
      group: groupOf(group),
      domain,
      isNew: isNew || domain === 'made',
      hasLicense,
      text,
      gold,
      ranges,
    }))
}
