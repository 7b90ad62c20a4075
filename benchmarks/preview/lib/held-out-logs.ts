import type { TextPreviewer } from '@spillway/previews'
import { readModel } from '../../../packages/previews/src/log/line-model.ts'
import { logPreviewer, SURE } from '../../../packages/previews/src/log/log-previewer.ts'
import { LogReader } from '../../../packages/previews/src/log/log-reader.ts'
import { logSureness } from '../../../packages/previews/src/log/log-sureness.ts'
import { loadLogs } from '../../ranking/cases.ts'
import { fitModel, SETTINGS } from '../../ranking/fit-model.ts'
import { assignFolds, FOLDS } from '../../ranking/folds.ts'
import { trainingRows } from '../../ranking/training-rows.ts'

/**
 * Fit the weights of lines once for each fold of the logs, to the logs of all other folds. Returns the previewer whose weights
 * have not seen a log, by its id; `undefined` for what is no log of the data. Takes a few minutes.
 */
export function heldOutLogPreviewers(data: string): (id: string) => TextPreviewer | undefined {
  const logs = loadLogs(data)
  const folds = assignFolds(logs)
  const rows = logs.map((log) => ({ ...trainingRows(log), fold: folds.get(log.group) }))
  const previewers = Array.from({ length: FOLDS }, (_, fold): TextPreviewer => {
    const others = rows.filter((log) => log.fold !== fold)
    const model = readModel(fitModel(others, SETTINGS))
    return { ...logPreviewer(), read: () => new LogReader((subject) => logSureness(subject) >= SURE, model) }
  })
  const foldOf = new Map(logs.map(({ id, group }) => [id, folds.get(group)!]))
  return (id) => previewers[foldOf.get(id) ?? FOLDS]
}
