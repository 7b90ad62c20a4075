/**
 * Runs a real test suite with `spillway run`, like an agent with a shell, and investigates one of its failures: shows
 * the preview, a search, a range of lines, and the saved tokens.
 *
 * The suite in `project/` has 2,400 tests. Four of them fail because of a real bug. With arguments, this script runs
 * `spillway` with these arguments on the stored content of the demo.
 */
import { spawn, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = join(HERE, '../..')
const BIN = join(ROOT, 'packages/cli/src/bin.ts')

interface RunResult {
  readonly exitCode: number
  readonly content: string
  readonly tokens: { readonly original: number; readonly replacement: number }
  readonly stored: readonly { readonly reference: string; readonly size: number }[]
}

interface Answer {
  readonly text: string
  readonly tokens: number
}

const { FORCE_COLOR: _, ...inherited } = process.env
const path = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`
// Colors are only for terminals, and an agent has no terminal.
const env = { ...inherited, NO_COLOR: '1', PATH: path, SPILLWAY_STORE: 'file:./.spillway' }

const given = process.argv.slice(2)
if (given.length > 0)
  process.exit(spawnSync(process.execPath, [BIN, ...given], { cwd: HERE, env, stdio: 'inherit' }).status ?? 1)

await rm(join(HERE, '.spillway'), { recursive: true, force: true })

say('A test suite with a real bug, run as an agent with a shell would run it:')
const run = (await spillway('run', '--', 'vitest', 'run', '--root', 'project', '--reporter=verbose')) as RunResult
const reference = run.stored[0]?.reference
if (run.exitCode !== 1 || reference === undefined) {
  throw new Error(`The tests should fail, and write much. They ended with ${run.exitCode}:\n${run.content}`)
}
console.log(`${run.content}\n`)
say('That is all that enters the context. Four tests fail; what was computed in the first of them?')
const search = (await spillway('get', reference, '--pattern', 'net=1.15 percent=10 ', '--context', '2')) as Answer
console.log(`${search.text}\n`)

say('There it is: in binary floating point, the cents are a little under 126.5. The whole report of that failure:')
const place = /(\d+):(\d+)/.exec(await linesOfFailure(reference))?.[0] ?? '1:20'
const lines = (await spillway('get', reference, '--lines', place)) as Answer
console.log(`${lines.text}\n`)

const { original, replacement } = run.tokens
const retrieved = search.tokens + lines.tokens
const net = original - replacement - retrieved
say('The meter, in tokens:')
const rows: readonly (readonly [string, number, string])[] = [
  ['avoided', original, `what ${count(run.stored[0]?.size ?? 0)} bytes of output would have taken`],
  ['shown', replacement, 'the preview'],
  ['retrieved', retrieved, 'the two answers'],
  ['net', net, `kept out of the context: ${((100 * net) / original).toFixed(1)} %`],
]
for (const [name, tokens, meaning] of rows) console.log(`  ${name.padEnd(10)}${count(tokens).padStart(9)}   ${meaning}`)
console.log('\nNothing is lost. Go on from here:')
console.log(`  npm run demo -- get ${reference} --pattern percent=25`)

/** Find the lines of the first failure's report. The search is not counted, because the preview shows the lines. */
async function linesOfFailure(reference: string): Promise<string> {
  const { text } = (await spillwayQuietly(
    'get',
    reference,
    '--pattern',
    'FAIL .*115 cents',
    '--context',
    '0',
  )) as Answer
  const first = Number(/> *(\d+)\|/.exec(text)?.[1] ?? 1)
  return `${first}:${first + 15}`
}

/** Print a command, run it, and return its output as JSON. */
async function spillway(...args: string[]): Promise<unknown> {
  console.log(`${bold(`$ spillway ${args.map((arg) => (/^[\w=.:/-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ')}`)}\n`)
  return spillwayQuietly(...args)
}

async function spillwayQuietly(command = '', ...options: string[]): Promise<unknown> {
  const args = [BIN, command, '--json', ...options]
  const child = spawn(process.execPath, args, { cwd: HERE, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk
  return JSON.parse(text)
}

function say(text: string): void {
  console.log(`${process.stdout.isTTY ? styleText('cyan', text) : text}\n`)
}

function bold(text: string): string {
  return process.stdout.isTTY ? styleText('bold', text) : text
}

function count(tokens: number): string {
  return String(tokens).replace(/\B(?=(\d{3})+$)/g, ',')
}
