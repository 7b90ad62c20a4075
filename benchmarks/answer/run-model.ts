#!/usr/bin/env node
/** Asks a real model the questions of the benchmark, at any endpoint with OpenAI's chat completions. See README.md. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { askModel, type ModelOutcome } from './ask-model.ts'
import type { Kind } from './answer-case.ts'
import { allCases } from './cases/all-cases.ts'
import { generatedCases } from './cases/generated-cases.ts'
import { isWanted } from './is-wanted.ts'
import { SeededRandom } from './seeded-random.ts'
import { mean } from './summarize.ts'
import { allSystems } from './systems/all-systems.ts'

const { ANSWER_BASE_URL: baseUrl, ANSWER_MODEL: model, ANSWER_API_KEY: apiKey } = process.env
const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    kind: { type: 'string' },
    systems: { type: 'string' },
    generated: { type: 'string' },
    cases: { type: 'string', default: '50' },
    repeats: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    /** The folder for all answers, with one file for each model. */
    out: { type: 'string', default: fileURLToPath(new URL('results/answer-model', import.meta.url)) },
  },
})
if (baseUrl === undefined || model === undefined) {
  console.log('Set ANSWER_BASE_URL (up to /v1) and ANSWER_MODEL, and ANSWER_API_KEY if the endpoint needs a key.')
  process.exit(0)
}
const seed = Number(options.seed)
const all =
  options.generated === undefined ? allCases(options.data, seed) : generatedCases(seed, Number(options.generated))
const cases = new SeededRandom(seed)
  .shuffle(all.filter(({ kind }) => isWanted(options.kind, kind)))
  .slice(0, Number(options.cases))
const systems = allSystems().filter(({ name }) => isWanted(options.systems, name))
const file = join(options.out, `${model.replaceAll(/[^\w.-]/g, '_')}.jsonl`)
mkdirSync(options.out, { recursive: true })
const outcomes: (ModelOutcome & { readonly kind: Kind })[] = []
for (const question of cases) {
  for (const system of systems.filter((one) => one.takes(question))) {
    for (let repeat = 0; repeat < Number(options.repeats); repeat += 1) {
      const outcome = { kind: question.kind, ...(await askModel(question, system, { baseUrl, model, apiKey })) }
      outcomes.push(outcome)
      appendFileSync(file, `${JSON.stringify(outcome)}\n`)
    }
  }
}
for (const system of systems) await system.close?.()
console.log('| kind | system | answers | right | calls | prompt tokens | of them cached | written tokens |')
console.log('| --- | --- | --: | --: | --: | --: | --: | --: |')
for (const own of Map.groupBy(outcomes, ({ kind, system }) => `${kind} | ${system}`)) {
  const [name, answers] = own
  const average = (value: (outcome: ModelOutcome) => number): string =>
    Math.round(mean(answers.map(value))).toLocaleString('en-US')
  const right = `${Math.round(mean(answers.map((answer) => (answer.right ? 100 : 0))))} %`
  const calls = mean(answers.map((answer) => answer.calls)).toFixed(1)
  console.log(
    `| ${[name, answers.length, right, calls, average((one) => one.promptTokens), average((one) => one.cachedTokens), average((one) => one.completionTokens)].join(' | ')} |`,
  )
}
