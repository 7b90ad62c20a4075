import type { StoredModel } from '../../packages/previews/src/log/line-model.ts'
import { SeededRandom } from '../answer/seeded-random.ts'
import { fitModel, SETTINGS, type FitSettings } from './fit-model.ts'
import type { TrainingRows } from './training-rows.ts'

/** Number of folds. */
export const FOLDS = 6

/** Assign each group to one of {@link FOLDS} folds, so that all folds have about the same number of cases. */
export function assignFolds(cases: ReadonlyArray<{ readonly group: string }>, seed = 1): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { group } of cases) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const random = new SeededRandom(seed)
  const groups = [...sizes]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, size]) => ({ group, size, at: random.next() }))
  const loads = Array.from({ length: FOLDS }, () => 0)
  const folds = new Map<string, number>()
  for (const { group, size } of groups.toSorted((one, other) => one.at - other.at)) {
    const fold = loads.indexOf(Math.min(...loads))
    loads[fold]! += size
    folds.set(group, fold)
  }
  return folds
}

/** Fit a model for each fold to the rows of all other folds. */
export function fitFolds(
  rows: readonly TrainingRows[],
  folds: ReadonlyMap<string, number>,
  settings: FitSettings = SETTINGS,
): StoredModel[] {
  return Array.from({ length: FOLDS }, (_, fold) =>
    fitModel(
      rows.filter(({ group }) => folds.get(group) !== fold),
      settings,
    ),
  )
}
