import { findData } from '../../preview/lib/data.mjs'
import type { AnswerCase } from '../answer-case.ts'
import { SeededRandom } from '../seeded-random.ts'
import { codeCases, commandCases, developmentTables, laterUseCases, pageCases, unseenLogs } from './data-cases.ts'
import { installedCodeCases, installedDocuments, installedTables } from './installed-files.ts'
import { jsonCases } from './json-cases.ts'
import { logCases } from './log-cases.ts'
import { recordedOutputs } from './recorded-outputs.ts'
import { recordedTables } from './recorded-tables.ts'
import { columnCases, tableCases } from './table-cases.ts'

/**
 * Return all questions about real data. Without the data folder, only questions about installed packages and this
 * machine: tables, JSON, code, and outputs of commands.
 */
export function allCases(dataOption: string | undefined, seed: number): readonly AnswerCase[] {
  const { folder: data, present } = findData(dataOption)
  if (!present) console.error(`No data in ${data}: the questions are about what is installed here.`)
  const random = new SeededRandom(seed)
  return [
    ...logCases(unseenLogs(data), random),
    ...tableCases([...installedTables(), ...recordedTables()], random),
    ...tableCases(developmentTables(data), random),
    ...jsonCases(installedDocuments(), random),
    ...columnCases(recordedOutputs(), random),
    ...commandCases(data, random),
    ...installedCodeCases(random),
    ...codeCases(data, random),
    ...pageCases(data, random),
    ...laterUseCases(data, random),
  ]
}
