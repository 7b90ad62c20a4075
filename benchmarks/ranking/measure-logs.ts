import { readModel, type LineModel, type StoredModel } from '../../packages/previews/src/log/line-model.ts'
import { renderTextPreview } from '../../packages/previews/src/log/render-text-preview.ts'
import { TextScanner } from '../../packages/previews/src/log/text-scanner.ts'
import { previewWithin } from '../preview/lib/implementation.ts'
import { withPreviewers } from '../preview/ours-offloader.ts'
import { countTokens } from '../preview/lib/tokens.mjs'
import type { LogCase } from './cases.ts'
import { rankedPreviewer } from './ranked-previewer.ts'
import { referencePreview } from './reference-model.ts'
import { BUDGET, countLineTokens, meanOf, scoreLog, type LogScore } from './score-logs.ts'

/** Scores by kind of preview and id of the log. */
export type Scores = Record<string, Record<string, LogScore>>

/** Models for measuring logs. */
export interface MeasuredModels {
  /** Returns a model that was not fitted to a log. */
  readonly modelOf: (log: LogCase) => StoredModel
  /** Returns a reference model that was not fitted to a log. */
  readonly referenceOf: (log: LogCase) => StoredModel
  /** Whether to also measure whole replacements. */
  readonly withReplacement: boolean
}

/** Create a preview of each log at each size, and score the previews. */
export async function measureLogs(logs: readonly LogCase[], measured: MeasuredModels): Promise<Scores> {
  const read = new Map<StoredModel, LineModel>()
  const modelOf = (stored: StoredModel): LineModel => {
    const model = read.get(stored) ?? readModel(stored)
    read.set(stored, model)
    return model
  }
  const scores: Scores = {}
  for (const log of logs) {
    const add = (subject: string, preview: string): void => {
      ;(scores[subject] ??= {})[log.id] = scoreLog(log, preview)
    }
    const model = modelOf(measured.modelOf(log))
    const scanner = new TextScanner(model)
    scanner.push(log.text)
    const scan = scanner.finish()
    for (const budgetTokens of SIZES) {
      const linesOnly = { budgetTokens, countTokens: countLineTokens }
      add(`lines only, ${budgetTokens}`, renderTextPreview(scan, linesOnly, { isLog: true }))
      add(
        `preview, ${budgetTokens}`,
        renderTextPreview(scan, { budgetTokens, countTokens, showLines }, { isLog: true }),
      )
    }
    add('reference, lines only', referencePreview(log.text, modelOf(measured.referenceOf(log)), BUDGET))
    if (!measured.withReplacement) continue
    const call = { text: log.text, contentType: 'text/plain', toolName: 'bash', budgetTokens: BUDGET }
    add('replacement', await previewWithin(withPreviewers([rankedPreviewer(model)]), call))
  }
  return scores
}

/** Sizes of previews, in tokens. */
const SIZES = [100, 250, 500, BUDGET]

const showLines = (start: number, end: number): string =>
  `retrieve_offloaded_content {"line_range":{"start":${start},"end":${end}}}`

const PARTS: ReadonlyArray<readonly [string, (log: LogCase) => boolean]> = [
  ['real', ({ domain }) => domain === 'real'],
  ['real, no rule written for', ({ domain, isNew }) => domain === 'real' && isNew],
  ['made', ({ domain }) => domain === 'made'],
]

/** Write a table of scores, with paired differences to earlier scores. */
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
