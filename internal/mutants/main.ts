/**
 * Measures the tests: applies each fault of a fixed random sample, and runs the tests that execute the fault.
 *
 *     node internal/mutants/main.ts cover                  which test files execute each fault; runs all tests once
 *     node internal/mutants/main.ts run [--only <id>,…] [--part 1/2] [--seconds 120] [--out <file>]
 *     node internal/mutants/main.ts compare <before> <after>    lists faults that only the first run caught
 *
 * `--seed` selects another sample. `cover` and `run` change sources and restore them, so run them in a separate clone.
 * Results are in `mutants/` of the cache folder, `node_modules/.cache`.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolders } from '@spillway-internal/test-run'
import { sampleMutants, type Mutant } from './sample-mutants.ts'

const COUNT = 150
const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/mutants')
const HITS = join(CACHE, 'hits.log')
const COVERAGE = join(CACHE, 'coverage.json')

/** Records once for each test file that a fault is executed. Works in every process that has `node:fs`. */
const PROBE = `
function spillwayProbe(index) {
  const process = globalThis.process
  const line = index + '\\t' + (process?.env?.SPILLWAY_TEST_FILE ?? '') + '\\n'
  const seen = (globalThis.spillwayProbes ??= new Set())
  if (seen.has(line)) return
  seen.add(line)
  process?.getBuiltinModule?.('node:fs')?.appendFileSync(${JSON.stringify(HITS)}, line)
}
`

/** A test file in a vitest project. */
interface TestFile {
  readonly project: string
  readonly path: string
  readonly milliseconds: number
}

/** Outcome of one fault. */
interface Outcome {
  readonly id: string
  readonly outcome: 'caught' | 'missed' | 'time' | 'not covered'
  /** The first test file that failed. */
  readonly by?: string | undefined
  readonly seconds: number
  /** The number of covering test files that ran. */
  readonly ran: number
  readonly covering: number
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    part: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: 'spillway' },
    out: { type: 'string', default: 'outcomes.jsonl' },
  },
})
mkdirSync(CACHE, { recursive: true })
const mutants = sampleMutants(ROOT, COUNT, values.seed)
if (positionals[0] === 'cover') await cover()
else if (positionals[0] === 'run') await runAll()
else if (positionals[0] === 'compare') compare(positionals[1] ?? '', positionals[2] ?? '')
else
  for (const { id, file, line, operator, original, replacement } of mutants)
    console.log(`${id}\t${file}:${line}\t${operator}\t${oneLine(original)}\t${oneLine(replacement)}`)

/** Run all tests once with a probe at each fault, and save which test files execute which faults. */
async function cover(): Promise<void> {
  rmSync(HITS, { force: true })
  const originals = insertProbes()
  const report = join(CACHE, 'report.json')
  try {
    const without = packageFolders(ROOT).filter((folder) => /^internal\/(?!storage-suite)/.test(folder))
    const projects = without.flatMap((folder) => ['--project', `!${folder}`])
    await runVitest(['--reporter=json', `--outputFile.json=${report}`, ...projects, ...positionals.slice(1)], 0)
  } finally {
    for (const [file, text] of originals) writeFileSync(join(ROOT, file), text)
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string; startTime: number; endTime: number }[]
  }
  const durations = new Map<string, number>()
  const failed = new Set<string>()
  for (const { name, status, startTime, endTime } of testResults) {
    durations.set(name, Math.max(durations.get(name) ?? 0, endTime - startTime))
    if (status !== 'passed') failed.add(name)
  }
  const hits = existsSync(HITS) ? new Set(readFileSync(HITS, 'utf8').split('\n')) : new Set<string>()
  const covering = mutants.map(
    ({ id: key }, index) =>
      [
        key,
        [...hits].flatMap((hit): TestFile[] => {
          const [id, project = '', path = ''] = hit.split('\t')
          return Number(id) === index && hit !== '' && path !== '' && !failed.has(path)
            ? [{ project, path: path.slice(ROOT.length + 1), milliseconds: durations.get(path) ?? 0 }]
            : []
        }),
      ] as const,
  )
  writeFileSync(COVERAGE, JSON.stringify(Object.fromEntries(covering)))
  console.log(
    `${covering.filter(([, files]) => files.length > 0).length} of ${mutants.length} faults are executed; ${failed.size} files failed without one: ${[...failed].join(', ')}`,
  )
}

/** Insert a probe at each fault. Returns the original texts of the files. */
function insertProbes(): Map<string, string> {
  const originals = new Map<string, string>()
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    originals.set(file, text)
    // At the same position, ends are inserted before starts. Of nested faults, the inner probe is closer to the text.
    const insertions = mutants.flatMap((mutant, index) => {
      if (mutant.file !== file) return []
      const { start, end, isStatement } = mutant
      const call = `spillwayProbe(${index})`
      return [
        { at: start, isStart: 1, inner: -end, inserted: isStatement ? `{${call};` : `(${call}, ` },
        { at: end, isStart: 0, inner: -start, inserted: isStatement ? '}' : ')' },
      ]
    })
    let probed = ''
    let reached = 0
    for (const { at, inserted } of insertions.toSorted(
      (a, b) => a.at - b.at || a.isStart - b.isStart || a.inner - b.inner,
    )) {
      probed += text.slice(reached, at) + inserted
      reached = at
    }
    probed += text.slice(reached)
    writeFileSync(join(ROOT, file), `${probed}\n${PROBE}`)
  }
  return originals
}

async function runAll(): Promise<void> {
  const covering = JSON.parse(readFileSync(COVERAGE, 'utf8')) as Record<string, TestFile[]>
  const only = values.only?.split(',')
  const [part = 1, parts = 1] = (values.part ?? '1/1').split('/').map(Number)
  for (const [index, mutant] of mutants.entries()) {
    if (only !== undefined && !only.includes(mutant.id)) continue
    if (index % parts !== part - 1) continue
    const outcome = await runOne(mutant, covering[mutant.id] ?? [])
    appendFileSync(join(CACHE, values.out), `${JSON.stringify(outcome)}\n`)
    console.log(
      `${mutant.id}\t${outcome.outcome}\t${outcome.seconds.toFixed(1)} s\t${outcome.ran}/${outcome.covering}\t${mutant.file}:${mutant.line}\t${mutant.operator}\t${outcome.by ?? ''}`,
    )
  }
}

/** Print the number of faults that each of two runs caught, and the faults that only the first run caught. */
function compare(before: string, after: string): void {
  const [first, second] = [before, after].map((file) => {
    const outcomes = readFileSync(file, 'utf8').trimEnd().split('\n')
    return new Map(outcomes.map((line) => JSON.parse(line) as Outcome).map((outcome) => [outcome.id, outcome]))
  })
  for (const outcomes of [first, second]) {
    const counts = Object.groupBy(outcomes?.values() ?? [], ({ outcome }) => outcome)
    console.log(
      Object.entries(counts)
        .map(([outcome, { length }]) => `${outcome}: ${length}`)
        .join(', '),
    )
  }
  const lost = mutants.filter(({ id }) => first?.get(id)?.outcome === 'caught' && second?.get(id)?.outcome !== 'caught')
  for (const { id, file, line, operator } of lost)
    console.log(`${id}\t${file}:${line}\t${operator}\t${first?.get(id)?.by}\tnow ${second?.get(id)?.outcome}`)
  process.exitCode = lost.length === 0 ? 0 : 1
}

/** Apply a fault and run the test files that execute it, the nearest first, until one fails. */
async function runOne(mutant: Mutant, covering: readonly TestFile[]): Promise<Outcome> {
  const started = performance.now()
  const seconds = (): number => (performance.now() - started) / 1_000
  if (covering.length === 0) return { id: mutant.id, outcome: 'not covered', seconds: 0, ran: 0, covering: 0 }
  const path = join(ROOT, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end))
  let ran = 0
  const ended = (outcome: Outcome['outcome'], by?: string): Outcome => ({
    id: mutant.id,
    outcome,
    by,
    seconds: seconds(),
    ran,
    covering: covering.length,
  })
  try {
    for (const batch of batches(mutant, covering)) {
      const left = Number(values.seconds) - seconds()
      if (left <= 1) return ended('time')
      const result = await runFiles(batch, left)
      if (result === 'time') return ended('time')
      ran += batch.length
      if (result !== undefined) return ended('caught', result)
    }
    return ended('missed')
  } finally {
    writeFileSync(path, text)
  }
}

/** Yield the covering test files in groups, likeliest first: in the fault's folder, in its package, elsewhere. */
function* batches({ file }: Mutant, covering: readonly TestFile[]): Generator<TestFile[]> {
  const packageFolder = /^packages\/(?:(?:storage|adapters)\/)?[^/]+/.exec(file)?.[0] ?? ''
  const distance = ({ path, project }: TestFile): number => {
    if (project.includes(' with ')) return 4
    if (path === file.replace(/\.ts$/, '.test.ts')) return 0
    if (dirname(path) === dirname(file) || basename(dirname(path)) === basename(dirname(file))) return 1
    return path.startsWith(`${packageFolder}/`) ? 2 : 3
  }
  const sorted = covering.toSorted((a, b) => distance(a) - distance(b) || a.milliseconds - b.milliseconds)
  let batch: TestFile[] = []
  let limit = 4_000
  let milliseconds = 0
  for (const [index, one] of sorted.entries()) {
    const previous = sorted[index - 1]
    const isOther = previous !== undefined && previous.project !== one.project && batch.length > 0
    if (isOther || milliseconds > limit) {
      yield batch
      batch = []
      milliseconds = 0
      limit = Math.min(limit * 2, 20_000)
    }
    batch.push(one)
    milliseconds += one.milliseconds + 300
  }
  if (batch.length > 0) yield batch
}

/** Return the first test that fails, `time` at the time limit, or `undefined` if all tests pass. */
async function runFiles(files: readonly TestFile[], seconds: number): Promise<string | undefined> {
  const report = join(CACHE, `report-${process.pid}.json`)
  rmSync(report, { force: true })
  const projects = [...new Set(files.map(({ project }) => project))].flatMap((name) => ['--project', name])
  const ended = await runVitest(
    ['--bail', '1', '--reporter=json', `--outputFile.json=${report}`, ...projects, ...files.map(({ path }) => path)],
    seconds,
  )
  if (ended === 'time') return 'time'
  if (!existsSync(report)) return `vitest ended with ${ended}`
  const { testResults, success } = JSON.parse(readFileSync(report, 'utf8')) as {
    success: boolean
    testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
  }
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => ({ name, test: assertionResults.find(({ status }) => status === 'failed') }))
  // A file without a failed test was aborted, or cannot be imported.
  const failure = failures.find(({ test }) => test !== undefined) ?? failures[0]
  if (failure === undefined) return success ? undefined : `vitest ended with ${ended}`
  return `${failure.name.slice(ROOT.length + 1)} > ${failure.test?.fullName ?? ''}`
}

/** Run vitest. Returns its exit code, or `time` after this many seconds; 0 means no limit. */
async function runVitest(args: readonly string[], seconds: number): Promise<number | 'time'> {
  const child = spawn(
    'node_modules/.bin/vitest',
    ['run', '--config', join(import.meta.dirname, 'vitest.config.ts'), ...args],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: true,
    },
  )
  let isTime = false
  const timer =
    seconds > 0
      ? setTimeout(() => {
          isTime = true
          process.kill(-(child.pid ?? 0), 'SIGKILL')
        }, seconds * 1_000)
      : undefined
  const code = await new Promise<number>((resolve) => child.once('close', (exitCode) => resolve(exitCode ?? 1)))
  clearTimeout(timer)
  return isTime ? 'time' : code
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 60)
}
