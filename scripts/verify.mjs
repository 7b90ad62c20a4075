/** Installs, builds and checks everything: what `.ci/run` and the README's second command call. `--help` lists the steps. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureToolchain, run } from './toolchain.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const REPORTS = `${ROOT}node_modules/.cache/verify`

/** What is run, in this order: each step proves something, by a command that ends with 0. */
const STEPS = [
  { name: 'install', proves: 'the lockfile installs as it is', args: ['install', '--frozen-lockfile'] },
  { name: 'format', proves: 'every file is formatted', args: ['run', 'format:check'] },
  { name: 'lint', proves: 'no lint error; the dependency rules hold', args: ['run', 'lint'] },
  { name: 'build', proves: 'every package builds', args: ['run', 'build'] },
  { name: 'typecheck', proves: 'tests, examples and scripts are sound', args: ['run', 'typecheck'] },
  { name: 'services', proves: 'which real servers there are for tests', args: ['run', 'services', 'provision'] },
  { name: 'test:core', proves: 'tests of core pass, and cover its lines', args: ['run', 'test:core', '--coverage'] },
  { name: 'test:rest', proves: 'all other unit tests pass, with every set of peers', args: ['run', 'test:rest'] },
  { name: 'test:docs', proves: 'exported names are documented; every example runs', args: ['run', 'test:docs'] },
  { name: 'test:packages', proves: 'packed packages install and work elsewhere', args: ['run', 'test:packages'] },
]

if (process.argv.includes('--help')) {
  console.log('node scripts/verify.mjs [step…]   runs all steps, or those named:\n')
  for (const { name, proves } of STEPS) console.log(`  ${name.padEnd(14)} ${proves}`)
  process.exit(0)
}

await ensureToolchain()
process.chdir(ROOT)
rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name))
if (unknown.length > 0) {
  console.error(`Unknown step: ${unknown.join(', ')}. Steps: ${STEPS.map((step) => step.name).join(', ')}.`)
  process.exit(2)
}

const durations = []
let exitCode = 0
for (const { name, proves, args } of STEPS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`\n── ${name}: ${proves}`)
  const start = performance.now()
  exitCode = await run('pnpm', isTest(name) ? [...args, ...reporters(name)] : args)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  durations.push(`${exitCode === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(14)} ${seconds.padStart(6)} s`)
  console.log(durations.at(-1))
  if (exitCode !== 0) break
}

console.log(`\n${durations.join('\n')}`)
summarize()
process.exit(exitCode)

function isTest(step) {
  return step.startsWith('test')
}

function reportFile(step) {
  return `${REPORTS}/${step.replace(':', '-')}.json`
}

function reporters(step) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile(step)}`]
}

/** Print what was counted, so that nothing that did not run can pass for something that did. */
function summarize() {
  const ran = STEPS.filter(({ name }) => isTest(name) && (wanted.length === 0 || wanted.includes(name)))
  const total = { passed: 0, failed: 0, skipped: 0 }
  const skipped = []
  const failed = []
  let reports = 0
  for (const { name } of ran) {
    const results = readReport(reportFile(name))
    if (results === undefined) {
      console.log(`not run: ${name}`)
      continue
    }
    reports += 1
    total.passed += results.numPassedTests
    total.failed += results.numFailedTests
    for (const suite of results.testResults) {
      const file = suite.name.slice(ROOT.length)
      if (suite.assertionResults.length === 0) console.log(`not run: ${file}`)
      for (const test of suite.assertionResults) {
        if (test.status === 'failed') failed.push(`${file}: ${test.fullName}`)
        else if (test.status !== 'passed') skipped.push(`${file}: ${test.fullName}`)
      }
    }
  }
  total.skipped = skipped.length
  for (const test of skipped) console.log(`skipped: ${test}`)
  // Last, where whoever reads the end of a long log finds them.
  for (const test of failed) console.log(`failed: ${test}`)
  if (reports > 0) console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
