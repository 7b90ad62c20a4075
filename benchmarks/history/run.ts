/**
 * Measures what ways of keeping a history short leave of real transcripts, and what they cost, and prints the tables.
 *
 *   node history/run.ts [end lived cost] [--quick] [--data FOLDER] [--out FOLDER] [--tag NAME] [--publish]
 *
 * `--publish` writes the tables into docs/benchmarks.md. `--out` is the folder of `results/`, by default this one.
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
const INTRODUCTION = `What does keeping a history short leave of it? The tables are one run of \`pnpm history\` in \`benchmarks/\` over real sessions of agents, at limits of 20,000 tokens in all and 2,000 for each result; [what is measured, and how](../benchmarks/history/README.md).

Spillway, in the mode \`compact\`, and ReMe take out results of more than 2,000 tokens alone, and keep them: sessions of many small results stay over the limit. LangChain and the AI SDK take out results of any size, and do not keep them: sessions fit more often, and what agents later needed of these results is gone.`

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
  publish: values.publish === true ? { introduction: INTRODUCTION, before: 'Reproduce it' } : undefined,
})
