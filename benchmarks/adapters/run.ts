/**
 * Measures the adapters in their frameworks and prints tables: tokens, overhead, replay, imports.
 *
 *   node adapters/run.ts [tokens overhead replay imports] [--quick] [--batches 200] [--log FILE]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { generateLog } from '../report/generate-log.ts'
import { addedPackages, measureImports } from './imports.ts'
import { measureTokens } from './measure-tokens.ts'
import { growth, measureBytes, measureTimes } from './overhead.ts'
import { LARGE_RESULT } from './overhead-cases.ts'
import { measureReplay } from './replay.ts'
import { count, table } from '../report/table.ts'

const LOG_BYTES = 200_000
/** Limit of the time that a hook may add to a small result. */
const MAX_HOOK_MICROSECONDS = 50
/** Limit of the bytes that each message of the history may add to a result: the list is copied, each message read. */
const MAX_BYTES_PER_MESSAGE = 64
const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  tokens: printTokens,
  overhead: printOverhead,
  replay: printReplay,
  imports: printImports,
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, log: { type: 'string' }, batches: { type: 'string' } },
  allowPositionals: true,
})
const isQuick = values.quick === true
const wanted = positionals.length === 0 ? Object.keys(PARTS) : positionals
for (const name of wanted) {
  const print = PARTS[name]
  if (print === undefined) throw new Error(`There is no part ${name}. Parts: ${Object.keys(PARTS).join(', ')}.`)
  console.log(`\n## ${name}\n`)
  await print()
}

async function printTokens(): Promise<void> {
  const log = values.log === undefined ? generateLog(LOG_BYTES) : readFileSync(values.log, 'utf8')
  console.log(`A log of ${count(log.length)} characters and ${count(log.split('\n').length)} lines; tokens of o200k.\n`)
  const rows = (await measureTokens(log)).map(({ framework, way, results, lastPrompt, allPrompts }) => {
    const [result = 0, ...answers] = results
    const [first, second] = answers.map(count)
    return [framework, way, count(result), first ?? '', second ?? '', count(lastPrompt), count(allPrompts)]
  })
  const heads = ['framework', 'way', 'result', '1st answer', '2nd answer', 'last prompt', 'all prompts']
  console.log(table(heads, rows, 2))
}

async function printOverhead(): Promise<void> {
  const times = await measureTimes({ batches: isQuick ? 10 : Number(values.batches ?? 200), batchMs: 1 })
  const microseconds = (value: number): string => `${value.toFixed(1)} µs`
  const timeRows = times.map(({ name, history, result, plain, wrapped }) => [
    name,
    history === undefined ? result : `${result}; history of ${count(history)}`,
    ...[plain, wrapped, wrapped - plain].map(microseconds),
  ])
  console.log(`Time per tool result. All but those of ${LARGE_RESULT} stay inline:\n`)
  console.log(table(['where', 'result', 'without', 'with', 'added'], timeRows, 2))
  const bytes = await measureBytes()
  const byteRows = bytes.map(({ name, history, plain, wrapped }) => [
    name,
    history === undefined ? 'called directly' : `history of ${count(history)}`,
    ...[plain, wrapped, wrapped - plain].map(count),
  ])
  console.log('\nBytes allocated per tool result:\n')
  console.log(table(['where', 'how', 'without', 'with', 'added'], byteRows, 2))
  console.log()
  for (const { name, history, result, plain, wrapped } of times)
    if (!isQuick && history === undefined && wrapped - plain > MAX_HOOK_MICROSECONDS)
      fail(
        `${name} adds ${microseconds(wrapped - plain)} to ${result}; at most ${MAX_HOOK_MICROSECONDS} µs are allowed.`,
      )
  for (const { name, bytesPerMessage } of growth(bytes))
    if (bytesPerMessage > MAX_BYTES_PER_MESSAGE)
      fail(`${name} allocates ${count(bytesPerMessage)} bytes more per message of the history, at each result.`)
}

function fail(message: string): void {
  console.log(`FAIL ${message}`)
  process.exitCode = 1
}

async function printReplay(): Promise<void> {
  const rows = await measureReplay(LOG_BYTES)
  for (const { way, digests } of rows) {
    const isEqual = new Set(Object.values(digests)).size === 1
    console.log(`${way}: ${isEqual ? 'equal' : 'different'}`)
    for (const [when, digest] of Object.entries(digests)) console.log(`  ${when.padEnd(8)} ${digest}`)
    if (!isEqual) fail(`${way}: the prompts differ.`)
  }
}

async function printImports(): Promise<void> {
  const rows = await measureImports(isQuick ? 1 : 7)
  const printed = rows.map((row) => {
    const base = rows.find(({ entry }) => row.entry.startsWith(`${entry} and `))
    const milliseconds = `${row.milliseconds.toFixed(0)} ms`
    return [row.entry, base === undefined ? '' : addedPackages(row, base).join(', '), count(row.modules), milliseconds]
  })
  console.log(table(['loaded', 'packages it adds', 'modules', 'time'], printed, 2))
}
