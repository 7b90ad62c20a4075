/**
 * Measures ways of shortening histories on real transcripts: the remaining content and the cost. Prints the tables.
 *
 *   node history/run.ts [end lived cost] [--quick] [--data FOLDER] [--out FOLDER] [--tag NAME] [--publish]
 *
 * `--publish` shows the results in docs/benchmarks.md. `--out` is the folder for `results/`, by default this folder.
 */
import { parseArgs } from 'node:util'
import { dataFolder } from '../preview/lib/data.mjs'
import { runReport, type Part } from '../report/run-report.ts'
import { costSection } from './report/cost-section.ts'
import { endSection } from './report/end-section.ts'
import { livedSection } from './report/lived-section.ts'
import type { HistoryOptions } from './report/measured.ts'
import { SUBJECTS } from './subjects/subjects.ts'
import { readTranscripts } from './transcripts/read-transcripts.ts'

const PARTS = new Map<string, Part<HistoryOptions>>([
  ['end', { title: 'Whole transcripts', measure: endSection }],
  ['lived', { title: 'As the agent lived them', measure: livedSection }],
  ['cost', { title: 'What it costs', measure: costSection }],
])

const { values, positionals } = parseArgs({
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    quick: { type: 'boolean' },
    tag: { type: 'string' },
    publish: { type: 'boolean' },
  },
  allowPositionals: true,
})
const transcripts = readTranscripts(dataFolder(values.data))
await runReport({
  title: 'History',
  parts: PARTS,
  names: positionals,
  options: { transcripts, subjects: SUBJECTS, isQuick: values.quick === true },
  remarks: [`${transcripts.length} transcripts.`],
  folder: values.out ?? import.meta.dirname,
  tag: values.tag,
  isPublished: values.publish === true,
})
