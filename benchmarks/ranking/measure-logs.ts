import type { TextPreviewer } from '@spillway/previews'
import { readModel, type LineModel, type StoredModel } from '../../packages/previews/src/log/line-model.ts'
import { logPreviewer, SURE } from '../../packages/previews/src/log/log-previewer.ts'
import { LogReader } from '../../packages/previews/src/log/log-reader.ts'
import { logSureness } from '../../packages/previews/src/log/log-sureness.ts'
import { renderTextPreview } from '../../packages/previews/src/log/render-text-preview.ts'
import { TextScanner } from '../../packages/previews/src/log/text-scanner.ts'
import { previewWithin } from '../preview/lib/implementation.ts'
import { withPreviewers } from '../preview/ours-offloader.ts'
import type { LogCase } from './cases.ts'
import { BUDGET, countLineTokens, meanOf, scoreLog, type LogScore } from './score-logs.ts'

/** What previews of each kind show of each log, by the log's id. */
export type Scores = Record<string, Record<string, LogScore>>

/** Preview each log with the model of its fold, and score the previews. */
export async function measureLogs(
  logs: readonly LogCase[],
  modelOf: (log: LogCase) => StoredModel,
  withReplacement: boolean,
): Promise<Scores> {
  const read = new Map<StoredModel, LineModel>()
  const scores: Scores = { 'lines only': {} }
  for (const log of logs) {
    const stored = modelOf(log)
    const model = read.get(stored) ?? readModel(stored)
    read.set(stored, model)
    const scanner = new TextScanner(model)
    scanner.push(log.text)
    const scan = scanner.finish()
    const preview = renderTextPreview(scan, { budgetTokens: BUDGET, countTokens: countLineTokens }, { isLog: true })
    scores['lines only']![log.id] = scoreLog(log, preview)
    if (!withReplacement) continue
    const ranked: TextPreviewer = {
      ...logPreviewer(),
      read: () => new LogReader((subject) => logSureness(subject) >= SURE, model),
    }
    const call = { text: log.text, contentType: 'text/plain', toolName: 'bash', budgetTokens: BUDGET }
    const replaced = await previewWithin(withPreviewers([ranked]), call)
    ;(scores['replacement'] ??= {})[log.id] = scoreLog(log, replaced)
  }
  return scores
}

const PARTS: ReadonlyArray<readonly [string, (log: LogCase) => boolean]> = [
  ['real', ({ domain }) => domain === 'real'],
  ['real, no rule written for', ({ domain, isNew }) => domain === 'real' && isNew],
  ['made', ({ domain }) => domain === 'made'],
]

/** A table of scores, with the paired differences to earlier ones. */
export function reportScores(logs: readonly LogCase[], scores: Scores, before?: Scores): string {
  const rows = PARTS.flatMap(([name, isPart]) => {
    const part = logs.filter(isPart)
    return Object.entries(scores).map(([subject, all]) => {
      const column = (key: keyof LogScore): string =>
        meanOf(part.flatMap(({ id, group }) => (all[id]?.[key] === undefined ? [] : [[group, all[id][key]] as const])))
      const old = before?.[subject]
      const difference = old && meanOf(part.map(({ id, group }) => [group, all[id]!.share - (old[id]?.share ?? 0)]))
      const cells = [column('share'), column('any'), column('withoutFrames'), difference ?? '']
      return `| ${name} | ${part.length} | ${subject} | ${cells.join(' | ')} |`
    })
  })
  return [
    '| logs | n | preview | share | any | without frames | difference |',
    '| --- | --: | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
