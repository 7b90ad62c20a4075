// Fits the weights that rank lines of logs, and measures them by cross-validation. See README.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FEATURE, type StoredModel } from '../../packages/previews/src/log/line-model.ts'
import { dataFolder } from '../preview/lib/data.mjs'
import { loadLogs, type LogCase } from './cases.ts'
import { fitModel, SETTINGS } from './fit-model.ts'
import { assignFolds, fitFolds } from './folds.ts'
import { measureLogs, reportScores, type Scores } from './measure-logs.ts'
import { NOT_IN_REFERENCE } from './reference-model.ts'
import { leaveOut, trainingRows } from './training-rows.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Domains to fit to. */
    domains: { type: 'string', default: 'real,made' },
    /** Features to leave out, by their names in `FEATURE`. */
    without: { type: 'string', multiple: true, default: [] },
    /** Whether to fit only to made logs, and to logs with a recorded license. */
    licensed: { type: 'boolean' },
    /** Folder for the models of the folds, which are written or read, and for the scores. */
    models: { type: 'string' },
    scores: { type: 'string' },
    against: { type: 'string' },
    seed: { type: 'string', default: '1' },
    c: { type: 'string' },
    weights: { type: 'string' },
    /** Whether to also measure whole replacements. */
    replacement: { type: 'boolean' },
    /** Whether to write the weights of the package. */
    write: { type: 'boolean' },
  },
})
const settings = {
  ...SETTINGS,
  c: Number(options.c ?? SETTINGS.c),
  mostWeights: Number(options.weights ?? SETTINGS.mostWeights),
}
const started = performance.now()
const note = (text: string): void => console.error(`${((performance.now() - started) / 1_000).toFixed(0)} s: ${text}`)

const logs = loadLogs(dataFolder(options.data))
const folds = assignFolds(logs, Number(options.seed))
const foldOf = ({ group }: { readonly group: string }): number => folds.get(group)!
const rows = logs.map(trainingRows)
note(`${rows.length} logs, ${rows.reduce((sum, { ends }) => sum + ends.length, 0)} lines`)
const left = new Set(options.without.map((name) => FEATURE[name as keyof typeof FEATURE]))
const used = rows.filter((_, index) => isUsed(logs[index]!)).map((log) => leaveOut(log, left))
const known = options.models === undefined ? undefined : readModels(options.models)
const models = known ?? fitFolds(used, folds, settings)
note('weights of the folds')
const references = fitFolds(
  rows.map((log) => leaveOut(log, NOT_IN_REFERENCE)),
  folds,
  settings,
)
note('reference models')
if (options.models !== undefined) writeFileSync(options.models, JSON.stringify(models))
if (options.write) {
  const model = fitModel(used, settings)
  const { bias, step, features } = model
  const text = `import { readModel, type LineModel } from './line-model.ts'\n\n/** The model that previews are made with: made by \`benchmarks/ranking/train.ts\`. */\nexport const LINE_MODEL: LineModel = readModel({\n  bias: ${bias},\n  step: ${step},\n  features:\n    '${features}',\n})\n`
  writeFileSync(fileURLToPath(new URL('../../packages/previews/src/log/line-weights.ts', import.meta.url)), text)
  note('weights written')
}
const scores = await measureLogs(logs, {
  modelOf: (log) => models[foldOf(log)]!,
  referenceOf: (log) => references[foldOf(log)]!,
  withReplacement: options.replacement === true,
})
note('measured')
const before = options.against === undefined ? undefined : (JSON.parse(readFileSync(options.against, 'utf8')) as Scores)
console.log(reportScores(logs, scores, before))
if (options.scores !== undefined) writeFileSync(options.scores, JSON.stringify(scores))

function isUsed({ domain, hasLicense }: LogCase): boolean {
  return options.licensed === true ? hasLicense : options.domains.split(',').includes(domain)
}

function readModels(file: string): StoredModel[] | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredModel[]) : undefined
}
