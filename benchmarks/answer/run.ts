#!/usr/bin/env node
/** Tokens to the answer: what it costs an agent to get an answer out of a large tool result. See README.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { AnswerCase } from './answer-case.ts'
import { allCases } from './cases/all-cases.ts'
import { generatedCases } from './cases/generated-cases.ts'
import { play, playOracle, type Outcome } from './play.ts'
import { POLICIES } from './policies.ts'
import { writeReport } from './report.ts'
import { allSystems, BASELINE, currentCommit } from './systems/all-systems.ts'
import type { System } from './systems/system.ts'

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    /** Kinds of question, systems, and policies, each with commas; all by default. */
    kind: { type: 'string' },
    systems: { type: 'string' },
    policies: { type: 'string', default: 'reader,grepper,words,follower,pager,oracle' },
    seed: { type: 'string', default: '1' },
    /** Made cases, so many of each kind, in place of data. */
    generated: { type: 'string' },
    /** Sizes of our preview, and a preview that is the start of the content, as systems of their own. */
    ablation: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
  },
})
const HERE = fileURLToPath(new URL('.', import.meta.url))
const seed = Number(options.seed)
const isWanted = (list: string | undefined, name: string): boolean =>
  list === undefined || list.split(',').includes(name)
const all =
  options.generated === undefined ? allCases(options.data, seed) : generatedCases(seed, Number(options.generated))
const cases = all.filter(({ kind }) => isWanted(options.kind, kind))
const systems = allSystems({ ablation: options.ablation }).filter(({ name }) => isWanted(options.systems, name))
const outcomes: Outcome[] = []
for (const [index, question] of cases.entries()) {
  for (const system of systems) {
    if (!system.takes(question)) continue
    for (const policy of options.policies.split(',')) outcomes.push(await playOne(question, system, policy))
  }
  if (index % 20 === 19) console.error(`${index + 1} of ${cases.length} cases`)
}
const report = writeReport(outcomes, BASELINE, {
  commit: currentCommit(),
  policiesCommit: currentCommit(`${HERE}policies.ts`),
  seed,
  machine: `Node.js ${process.version}, ${cpus().length} cores`,
  versions: systems.map(({ name, version, emulated }) => `${name}: ${emulated ? `emulated from ${version}` : version}`),
})
console.log(report)
if (options.publish) {
  mkdirSync(`${HERE}results`, { recursive: true })
  writeFileSync(`${HERE}results/answer.md`, report)
}

async function playOne(question: AnswerCase, system: System, name: string): Promise<Outcome> {
  if (name === 'oracle') return playOracle(question, system)
  const policy = POLICIES[name]
  if (policy === undefined) throw new Error(`There is no policy ${name}: ${Object.keys(POLICIES).join(', ')}, oracle.`)
  return play(question, system, name, policy)
}
