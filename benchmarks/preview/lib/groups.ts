import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One entry of an index, with the project, site, or session of its case. */
export interface GroupEntry {
  readonly group: string
  /** Another name of the same project, or of a project with common text. */
  readonly group_merged_into?: string
}

/**
 * Returns the name of the joined group of a group: the first of its names in alphabetical order. Throws a `RangeError`
 * if the name is unknown.
 */
export type FindGroup = (group: string) => string

const INDEXES = [
  ...['logs', 'html', 'more/logs', 'more/html', 'made'].map((folder) => `${folder}/answers.json`),
  ...['transcripts', 'more/transcripts', 'json', 'csv', 'sql', 'code', 'commands'].map(
    (folder) => `${folder}/index.json`,
  ),
]

/** Join the groups of all folders in a data folder. */
export function readGroups(data: string): FindGroup {
  const paths = INDEXES.map((index) => join(data, index)).filter((path) => existsSync(path))
  return joinGroups(paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')) as GroupEntry[]))
}

/** Join groups that an entry connects. */
export function joinGroups(entries: Iterable<GroupEntry>): FindGroup {
  const parents = new Map<string, string>()
  const find = (name: string): string => {
    const parent = parents.get(name) ?? name
    return parent === name ? name : find(parent)
  }
  for (const { group, group_merged_into: other = group } of entries) {
    const [first = group, second = group] = [find(group), find(other)].toSorted()
    parents.set(group, parents.get(group) ?? group).set(other, parents.get(other) ?? other)
    parents.set(second, first)
  }
  return (name) => {
    if (!parents.has(name)) throw new RangeError(`The data has no group ${name}.`)
    return find(name)
  }
}
