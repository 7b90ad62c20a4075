#!/usr/bin/env node
/** Measures tokens to the answer: the cost for an agent to get an answer out of a large tool result. See README.md. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { allCases } from './cases/all-cases.ts'
import { generatedCases } from './cases/generated-cases.ts'
import { isWanted } from './is-wanted.ts'
import { play, type Outcome } from './play.ts'
import { publish } from '../report/publish.ts'
import { save } from '../speed/lib.mjs'
import { compareAnswers, writeReport } from './report.ts'
import { currentCommit } from './current-commit.ts'
import { sameInSecondProcess } from './second-process.ts'
import { ablations, allSystems, BASELINE } from './systems/all-systems.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Prefixes of the names of question kinds, and of systems, separated by commas. Defaults to all. */
    kind: { type: 'string' },
    systems: { type: 'string' },
    policies: { type: 'string', default: 'reader,grepper,words,follower,pager,oracle' },
    seed: { type: 'string', default: '1' },
    /** Number of generated cases of each kind, instead of real data. */
    generated: { type: 'string' },
    /** Measure only Spillway: with other preview sizes, with the start of the content as preview, without the tool. */
    ablation: { type: 'boolean', default: false },
    /** Relative prices of a cached and of a newly cached prompt token. A token without a cache costs 1. */
    cached: { type: 'string', default: '0.1' },
    written: { type: 'string', default: '1.25' },
    /** A file with one outcome per line. A run that was interrupted continues from it. */
    outcomes: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
})
const HERE = fileURLToPath(new URL('.', import.meta.url))
const seed = Number(options.seed)
const all =
  options.generated === undefined ? allCases(options.data, seed) : generatedCases(seed, Number(options.generated))
const cases = all.filter(({ kind }) => isWanted(options.kind, kind))
const systems = (options.ablation ? ablations() : allSystems()).filter(({ name }) => isWanted(options.systems, name))
const commit = currentCommit()
const kept = options.outcomes
const found: readonly Outcome[] =
  kept !== undefined && existsSync(kept)
    ? readFileSync(kept, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Outcome)
    : []
const asked = new Map(cases.map(({ id, question }) => [id, question]))
// Saved outcomes of changed questions are dropped, for example about a repository's growing history.
const outcomes = found.filter((outcome) => asked.get(outcome.case) === outcome.question)
const known = new Set(outcomes.map((outcome) => `${outcome.case} ${outcome.system}`))
for (const [index, question] of cases.entries()) {
  for (const system of systems) {
    if (!system.takes(question) || known.has(`${question.id} ${system.name}`)) continue
    const played = await play(question, system, options.policies.split(','))
    outcomes.push(...played)
    if (kept !== undefined) appendFileSync(kept, played.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''))
  }
  if (index % 20 === 19) console.error(`${index + 1} of ${cases.length} cases`)
}
for (const system of systems) await system.close?.()
// The systems determine the order, not the saved outcomes.
const order = systems.map(({ name }) => name)
outcomes.sort((one, other) => order.indexOf(one.system) - order.indexOf(other.system))
const real = systems.filter(({ emulated }) => !emulated).map(({ name }) => name)
const same = await sameInSecondProcess(cases, real)
const prices = { cached: Number(options.cached), written: Number(options.written) }
const report = writeReport(outcomes, BASELINE, {
  commit,
  policiesCommit: currentCommit(`${HERE}policies.ts`),
  seed,
  prices,
  machine: `Node.js ${process.version}, ${cpus().length} cores`,
  versions: systems.map(({ name, version, emulated }) =>
    emulated
      ? `${name}: emulated from ${version}`
      : `${name}: ${version}; the same bytes in a second process: ${same.get(name) ? 'yes' : 'no'}`,
  ),
})
console.log(report)
if (options.publish) {
  const comparisons = compareAnswers(outcomes, BASELINE, prices)
  const results = { title: 'All questions and policies', bounds: [], comparisons }
  save(options.ablation ? 'ablation' : 'answer', results, report, undefined, `${HERE}results`)
  publish()
}
