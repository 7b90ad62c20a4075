#!/usr/bin/env node
// Measures the share of the answer in a preview, for projects with and without own rules. See README.md.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { publish } from '../report/publish.ts'
import { save } from '../speed/lib.mjs'
import { CATEGORIES, loadAllCases } from './lib/cases.mjs'
import { dataFolder } from './lib/data.mjs'
import { readGroups } from './lib/groups.ts'
import { heldOutLogPreviewers } from './lib/held-out-logs.ts'
import { loadPeers, previewWithin, type Implementation, type Input } from './lib/implementation.ts'
import { oracle } from './lib/oracle.mjs'
import { compareScores, SPLITS, writeReport, type Row } from './lib/report.ts'
import { score } from './lib/score.mjs'
import { countTokens, longerThan } from './lib/tokens.mjs'
import { asInstalled, withLibraries } from './ours-offloader.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    budget: { type: 'string', default: '1000' },
    peers: { type: 'string' },
    categories: { type: 'string' },
    splits: { type: 'string' },
    limit: { type: 'string' },
    /** Folder for every preview at the budget. */
    dump: { type: 'string' },
    /** File for the scores of every case, for paired comparisons. */
    rows: { type: 'string' },
    publish: { type: 'boolean' },
  },
})

interface Case extends Omit<Input, 'budgetTokens'> {
  readonly id: string
  readonly category: string
  readonly split: string
  readonly group: string
}

const data = dataFolder(options.data)
const budget = Number(options.budget)
const LEAST_TOKENS = 2_000
const categories = options.categories?.split(',') ?? CATEGORIES
const splits = options.splits?.split(',') ?? SPLITS
const ours: readonly Implementation[] = [asInstalled, withLibraries]
const peers = await loadPeers(options.peers?.split(','))
const groupOf = readGroups(data)
const heldOutLogs = categories.includes('logs') ? heldOutLogPreviewers(data) : undefined
const start = performance.now()
if (options.rows !== undefined) writeFileSync(options.rows, '')
const rows: Row[] = []
const counts = new Map<string, number>()
for (const one of loadAllCases(data, categories) as Case[]) {
  if (!splits.includes(one.split) || !longerThan(one.text, Math.max(LEAST_TOKENS, budget))) continue
  const part = `${one.category} ${one.split}`
  const counted = (counts.get(part) ?? 0) + 1
  counts.set(part, counted)
  if (counted > Number(options.limit ?? Infinity)) continue
  const measured = await measure(one)
  rows.push(...measured)
  if (options.rows !== undefined)
    appendFileSync(options.rows, measured.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const remarks =
  `Node.js ${process.version}, ${budget.toLocaleString('en-US')} tokens (o200k_base), ` +
  `outputs of more than ${Math.max(LEAST_TOKENS, budget).toLocaleString('en-US')} tokens, all values in %.`
const tables = writeReport(rows, [...ours, ...peers].map(({ name }) => name).concat('oracle'), ours.length)
console.log(`${remarks}\n\n${tables}`)
console.error(`${Math.round((performance.now() - start) / 1_000)} s`)
if (options.publish === true) {
  const comparisons = compareScores(
    rows,
    [asInstalled, ...peers].map(({ name }) => name),
  )
  const report = `# Previews\n\n${remarks}\n\n${tables}`
  save(
    'previews',
    { title: 'Previews', bounds: [], comparisons },
    report,
    undefined,
    join(import.meta.dirname, 'results'),
  )
  publish()
}

async function measure(one: Case): Promise<Row[]> {
  const { id, category, split, text, contentType, toolName, toolInput, purpose } = one
  const logs = category === 'logs' ? heldOutLogs?.(id) : undefined
  const heldOut = logs === undefined ? [] : [logs]
  const input: Input = { text, contentType, toolName, toolInput, purpose, budgetTokens: budget, heldOut }
  const about = { category, split, id, group: groupOf(one.group) }
  const rate = (implementation: Implementation, mode: Row['mode'], preview: string): Row => ({
    ...about,
    implementation: implementation.name,
    mode,
    tokens: countTokens(preview),
    scores: score(one, preview, budget),
  })
  const result: Row[] = [{ ...about, implementation: 'oracle', mode: 'forced', scores: oracle(one, budget) ?? {} }]
  for (const implementation of [...ours, ...peers]) {
    const preview = await previewWithin(implementation, input)
    result.push(rate(implementation, 'forced', preview))
    if (options.dump !== undefined) dump(implementation.name, `${category}__${id}`, preview)
    const usual = await implementation.previewByDefault?.(input)
    if (usual !== undefined) result.push(rate(implementation, 'default', usual))
  }
  return result
}

function dump(name: string, id: string, preview: string): void {
  const file = join(options.dump ?? '', name, `${id.replaceAll(/[^\w.-]+/g, '_')}.txt`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, preview)
}
