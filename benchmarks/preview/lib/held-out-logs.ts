import type { TextPreviewer } from '@spillway/previews'
import { readModel } from '../../../packages/previews/src/log/line-model.ts'
import { loadLogs } from '../../ranking/cases.ts'
import { assignFolds, fitFolds, FOLDS } from '../../ranking/folds.ts'
import { rankedPreviewer } from '../../ranking/ranked-previewer.ts'
import { trainingRows } from '../../ranking/training-rows.ts'

/**
 * Fit the weights of lines for each fold of the logs, using the logs of all other folds. Returns a function that finds
 * the previewer not fitted to a log, by the id of the log; `undefined` for other ids. Takes a few minutes.
 */
export function heldOutLogPreviewers(data: string): (id: string) => TextPreviewer | undefined {
  const logs = loadLogs(data)
  const folds = assignFolds(logs)
  const models = fitFolds(logs.map(trainingRows), folds)
  const previewers = models.map((model) => rankedPreviewer(readModel(model)))
  const foldOf = new Map(logs.map(({ id, group }) => [id, folds.get(group)!]))
  return (id) => previewers[foldOf.get(id) ?? FOLDS]
}
