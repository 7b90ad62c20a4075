import type { TextPreviewer } from '@spillway/previews'
import type { LineModel } from '../../packages/previews/src/log/line-model.ts'
import { logPreviewer, LogReader } from '../../packages/previews/src/log/log-previewer.ts'

/** Create the previewer of logs with weights that replace the weights of the package. */
export function rankedPreviewer(model: LineModel): TextPreviewer {
  return { ...logPreviewer(), read: () => new LogReader(model) }
}
