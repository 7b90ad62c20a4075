/** Installs, builds, and checks everything. Called by `.ci/run` and by the second command of the README. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureToolchain, fail, run } from './toolchain.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNS = join(ROOT, '.turbo/runs')

/** Tasks of turbo by phase. A phase starts if the previous one passed. The last tasks need servers and take minutes. */
const PHASES = [
  {
    build: 'every package builds',
    lint: 'no lint error; the dependency rules hold',
    typecheck: 'all types are sound',
    tarball: 'every package packs',
  },
  {
    test: 'tests pass, with every supported version of the frameworks',
    docs: 'exported names are documented; every example runs',
    packages: 'packed packages install and work elsewhere',
  },
]
const HELP = `node scripts/verify.mjs [task…] [--full] [--filter <package>]…

Runs all tasks, or those named. A task whose inputs have not changed since it passed is not run again.

${PHASES.flatMap((phase) => Object.entries(phase))
  .map(([task, proves]) => `  ${task.padEnd(11)} ${proves}`)
  .join('\n')}

  --full      all combinations, long soaks, many property runs; prints each test file as it ends
  --filter    only these packages, in the syntax of turbo: @spillway/core, ...@spillway/file
  --force     run every task, also if it passed before

SPILLWAY_REQUIRE_SERVICES=1 fails if Redis, PostgreSQL or S3 is missing; SPILLWAY_INSTALL_SERVICES=0 forbids
installing Debian packages for them; SPILLWAY_SEED repeats a run's random inputs.`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    filter: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const wanted = positionals.includes('packages') ? ['tarball', ...positionals] : positionals
const unknown = wanted.filter((task) => !PHASES.some((phase) => task in phase))
if (unknown.length > 0) fail(`Unknown task: ${unknown.join(', ')}. See node scripts/verify.mjs --help.`)

await ensureToolchain()
process.chdir(ROOT)
const started = performance.now()
process.env.SPILLWAY_SEED ??= String(Math.floor(Math.random() * 2 ** 31))
// Results with one version of Node.js do not hold for another version.
process.env.SPILLWAY_NODE = process.version
if (options.full) process.env.SPILLWAY_FULL = '1'
const times = []
/** Reports of the test tasks of this run, and of earlier runs whose results are still valid. */
const reports = []
let exitCode = 0

const { COMPILE_CACHE } = await import('../internal/test-run/src/test-run.ts')
const { startBroker, BROKER_VARIABLE } = await import('../internal/services/src/service-broker.ts')
const { planServices, provision } = await import('../internal/services/src/provision.ts')
// Every task starts Node.js, and several start a test runner, so compiled code is cached for all of them.
process.env.NODE_COMPILE_CACHE = COMPILE_CACHE
const wantsServers = wanted.length === 0 || wanted.some((task) => task in PHASES[1])
const plan = wantsServers ? Object.entries(await planServices()) : []
const missing = plan.filter(([, { available }]) => !available).map(([name, { why }]) => `${name} will not run: ${why}`)
if (missing.length > 0 && process.env.SPILLWAY_REQUIRE_SERVICES === '1') fail(missing.join('\n'))

await step('install', ['install', '--frozen-lockfile'])
await step('format', ['run', 'format:check'])
const provisioned = wantsServers ? provision() : undefined
await phase(0)
if (exitCode === 0 && wantsServers) await phaseWithServices()

for (const line of [...times, '', `seed ${process.env.SPILLWAY_SEED}, ${seconds(started)} s in all`]) console.log(line)
summarize()
process.exit(exitCode)

/** Run the tasks that need servers. A server starts when a test first requests it, and ends with this process. */
async function phaseWithServices() {
  const services = Object.entries(await provisioned)
  const available = services.filter(([, service]) => service.available).map(([name]) => name)
  process.env.SPILLWAY_TEST_SERVERS = available.join(',')
  process.env.SPILLWAY_REQUIRE_SERVICES ??= available.join(',')
  for (const [name, { available: isThere, why }] of services)
    if (!isThere && !missing.some((line) => line.startsWith(`${name} `))) missing.push(`${name} will not run: ${why}`)
  if (missing.length > 0 && process.env.SPILLWAY_REQUIRE_SERVICES === '1') return void (exitCode = 1)
  // These need installed packages. The lists name what a task depends on outside of its folder: sources, or packed packages.
  const { writeReachedSources } = await import('../internal/test-run/src/reached-sources.ts')
  writeReachedSources(ROOT)
  const { writePackedDependencies } = await import('../internal/packages/packed-dependencies.ts')
  writePackedDependencies()
  const broker = await startBroker()
  process.env[BROKER_VARIABLE] = broker.url
  await phase(1)
  await broker.stop()
}

async function step(name, args) {
  if (exitCode !== 0) return
  const start = performance.now()
  exitCode = await run('pnpm', args)
  times.push(row(exitCode === 0 ? 'ok' : 'FAIL', name, seconds(start)))
}

/** Run the requested tasks of a phase in one task graph. */
async function phase(index) {
  const tasks = Object.keys(PHASES[index]).filter((task) => wanted.length === 0 || wanted.includes(task))
  if (exitCode !== 0 || tasks.length === 0) return
  rmSync(RUNS, { recursive: true, force: true })
  const args = ['--continue', '--summarize', '--env-mode=loose', '--output-logs=new-only']
  // A full run takes long, so its lines are printed at once, instead of package by package.
  args.push(`--log-order=${options.full ? 'stream' : 'grouped'}`)
  for (const filter of options.filter) args.push(`--filter=${filter}`)
  // One run of the linter or the compiler for all packages takes a third of the time of separate runs.
  if (options.filter.length > 0 && (tasks.includes('lint') || tasks.includes('typecheck'))) args.push('--filter=//')
  if (options.force) args.push('--force')
  // Two tasks more than cores: a task of tests also waits for processes that it starts, and for servers that fail.
  args.push(`--concurrency=${availableParallelism() + 2}`)
  exitCode = await run('pnpm', ['exec', 'turbo', 'run', ...tasks, ...args])
  const [file] = existsSync(RUNS) ? readdirSync(RUNS) : []
  const { tasks: done, execution } =
    file === undefined ? { tasks: [] } : JSON.parse(readFileSync(join(RUNS, file), 'utf8'))
  for (const task of tasks) {
    const own = done.filter((one) => one.task === task && one.command !== '<NONEXISTENT>')
    const failed = own.filter(({ execution }) => execution?.exitCode !== 0)
    const cached = own.filter(({ cache }) => cache.status === 'HIT').length
    const busy = own.reduce((sum, { execution: at }) => sum + (at === undefined ? 0 : at.endTime - at.startTime), 0)
    const note = `${own.length} packages, ${cached} unchanged`
    times.push(row(failed.length === 0 ? 'ok' : 'FAIL', task, (busy / 1000).toFixed(1), note))
    for (const { directory } of failed) times.push(`     ${task} of ${directory} failed`)
    if (index === 1) reports.push(...own.map(({ directory }) => join(directory, '.reports', `${task}.json`)))
  }
  const killed = (execution?.attempted ?? 0) - done.length
  if (killed > 0)
    times.push(`FAIL ${killed} killed: see the lines "Failed:" and "ERROR" of turbo, whose summary omits them`)
}

function row(state, name, duration, note = '') {
  return `${state.padEnd(5)}${name.padEnd(11)}${duration.padStart(7)} s  ${note}`
}

function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(1)
}

/** Print the counts, so that tests that did not run are not mistaken for passed tests. */
function summarize() {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const failed = []
  for (const path of reports) {
    if (!existsSync(path)) {
      console.log(`not run: ${path}`)
      continue
    }
    const report = JSON.parse(readFileSync(path, 'utf8'))
    total.passed += report.passed
    failed.push(...report.failed)
    for (const file of report.empty) console.log(`no tests: ${file}`)
    for (const { file, reason, count } of report.skipped) {
      total.skipped += count
      console.log(`skipped: ${count} of ${file}: ${reason}`)
    }
  }
  // Missing services come last, because readers of a long log look at its end.
  for (const line of missing) console.log(line)
  for (const test of failed) console.log(`failed: ${test}`)
  console.log(`\n${total.passed} passed, ${failed.length} failed, ${total.skipped} skipped`)
}
