import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SeededRandom } from '../../answer/seeded-random.ts'

/** One entry of an index: the project, site, or session that its case belongs to. */
export interface GroupEntry {
  readonly group: string
  /** Another name of the same project, or of one that shares text with it. */
  readonly group_merged_into?: string
}

/** Where a case belongs: cases of one group are never in two folds. */
export interface Fold {
  /** The joined group, by the first of its names in alphabetical order. */
  readonly group: string
  readonly fold: number
}

/** Finds the fold of a group by any of its names. Throws a `RangeError` if the name is unknown. */
export type FindFold = (group: string) => Fold

/** Settings of an assignment of groups to folds. */
export interface FoldOptions {
  readonly folds?: number
  readonly seed?: number
}

const INDEXES = [
  ...['logs', 'html', 'more/logs', 'more/html', 'made'].map((folder) => `${folder}/answers.json`),
  ...['transcripts', 'more/transcripts', 'json', 'csv', 'sql', 'code', 'commands'].map(
    (folder) => `${folder}/index.json`,
  ),
]

/** Assigns the groups of all folders of a data folder to folds. */
export function readFolds(data: string, options?: FoldOptions): FindFold {
  const paths = INDEXES.map((index) => join(data, index)).filter((path) => existsSync(path))
  return assignFolds(
    paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')) as GroupEntry[]),
    options,
  )
}

/** Joins groups that an entry connects, and assigns the joined groups to folds of equal numbers of groups. */
export function assignFolds(entries: Iterable<GroupEntry>, { folds = 6, seed = 1 }: FoldOptions = {}): FindFold {
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
  const roots = [...new Set([...parents.keys()].map(find))].toSorted()
  const foldOf = new Map(new SeededRandom(seed).shuffle(roots).map((root, index) => [root, index % folds]))
  return (name) => {
    const group = find(name)
    const fold = foldOf.get(group)
    if (fold === undefined) throw new RangeError(`The data has no group ${name}.`)
    return { group, fold }
  }
}
