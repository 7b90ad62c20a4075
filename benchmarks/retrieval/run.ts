/**
 * Measures retrieval, and compares it with other implementations. Prints the tables.
 *
 *   node retrieval/run.ts [PART...] [--quick] [--ours MODULE] [--tag NAME] [--publish]
 *
 * `--publish` shows the results in docs/benchmarks.md.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { useBuiltPackages } from '../built-packages.ts'
import { runReport, type Part } from '../report/run-report.ts'
import { cleanUp } from './contents.ts'
import { measureAgain } from './measure-again.ts'
import { measureHostile } from './measure-hostile.ts'
import { measureIndex } from './measure-index.ts'
import { measureLarge } from './measure-large.ts'
import { measureOneLine } from './measure-one-line.ts'
import { measurePatterns } from './measure-patterns.ts'
import { measureRange } from './measure-range.ts'
import { measureSearch } from './measure-search.ts'
import { measureSql } from './measure-sql.ts'
import { measureTenants } from './measure-tenants.ts'
import { runOptions, type RunOptions } from './run-options.ts'

const PARTS = new Map<string, Part<RunOptions>>([
  ['search', { title: 'Search', measure: measureSearch }],
  ['large', { title: 'Search of a gigabyte', measure: measureLarge }],
  ['index', { title: 'Search by an index', measure: measureIndex }],
  ['patterns', { title: 'Generated patterns', measure: measurePatterns }],
  ['range', { title: 'Lines', measure: measureRange }],
  ['one-line', { title: 'Hits in JSON on one line', measure: measureOneLine }],
  ['again', { title: 'A second question', measure: measureAgain }],
  ['sql', { title: 'SQL', measure: measureSql }],
  ['tenants', { title: 'A hostile tenant', measure: measureTenants }],
  ['hostile', { title: 'Hostile patterns', measure: measureHostile }],
])

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    ours: { type: 'string' },
    tag: { type: 'string' },
    publish: { type: 'boolean' },
  },
  allowPositionals: true,
})
const options = runOptions(values.quick === true, resolve(values.ours ?? join(import.meta.dirname, 'ours.ts')))
if (values.ours === undefined) useBuiltPackages()
try {
  await runReport({
    title: 'Retrieval',
    parts: PARTS,
    names: positionals,
    options,
    remarks: [
      options.isQuick ? 'A quick run: its figures prove nothing.' : `Medians of ${options.rounds}.`,
      ...(options.missing.length > 0 ? [`Not installed and left out: ${options.missing.join(', ')}.`] : []),
    ],
    folder: import.meta.dirname,
    tag: values.tag,
    isPublished: values.publish === true,
  })
} finally {
  cleanUp()
}
