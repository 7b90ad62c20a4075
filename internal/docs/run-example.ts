import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { OWN_SERVER_VARIABLES, sharedService, variablesOf, type ServiceName } from '../services/src/index.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { isVitest, type Example } from './collect-examples.ts'
import type { NeededServer } from './needed-server.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Path of a module that makes a failed `console.assert` throw. */
export const STRICT_ASSERT: string = join(import.meta.dirname, 'strict-assert.mjs')
/** Id prefix of a few fast cases of the conformance suite. */
const FEW_CASES = 'reference/'
/** Ends a program that hangs. A busy machine is five times slower. */
const TIMEOUT_MS = 300_000
const RUN_IN_TURN = join(import.meta.dirname, 'run-in-turn.ts')

/** Environment variables of this test run that the program of an example does not get. */
const NOT_INHERITED = ['NODE_OPTIONS', 'VITEST', 'VITEST_POOL_ID', 'SPILLWAY_STORE']

/** Output and exit code of a program. */
export interface Outcome {
  readonly exitCode: number
  readonly output: string
}

/** Type-check examples in a single compilation. */
export async function typecheckExamples(examples: readonly Example[]): Promise<Outcome> {
  const folder = mkdtempSync(join(import.meta.dirname, '.typecheck-'))
  try {
    const config = {
      extends: join(ROOT, 'tsconfig.test.json'),
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, tsBuildInfoFile: null },
      files: examples.map(({ path }) => path),
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    return await execute(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], ROOT)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Run one TypeScript example in an empty folder. A failed `console.assert` ends the example. An example that reads
 * `SPILLWAY_TEST_REDIS_URL` or a similar variable gets the address of the service, if the service is available.
 *
 * @param server - The server of an example that `needs` one.
 */
export async function runExample(example: Example, server?: NeededServer): Promise<Outcome> {
  const env = { ...(await serviceVariables(example.code)), ...server?.env }
  if (server !== undefined) writeFileSync(example.path, server.address(readFileSync(example.path, 'utf8')))
  const vitest = ['run', '--root', dirname(example.path), '--reporter=dot', example.path]
  // A few cases of the suite show that the example registers it. Other tests run the whole suite.
  if (!isFull && example.code.includes("/conformance/vitest'")) vitest.push('-t', FEW_CASES)
  return await inEmptyFolder((folder) =>
    isVitest(example)
      ? execute(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...vitest], folder, { env })
      : execute(process.execPath, ['--import', STRICT_ASSERT, example.path], folder, { env }),
  )
}

/** Return whether an example can share a process: it needs no server, contains no tests, and uses no `process`. */
export function sharesProcess({ code, flags }: Pick<Example, 'code' | 'flags'>): boolean {
  const needsServer = flags.some((flag) => flag.startsWith('needs='))
  return !needsServer && !isVitest({ code }) && !/\bprocess\.|SPILLWAY_TEST_|'node:test'/.test(code)
}

/** Create a Node.js program that runs modules in turn, each in a new folder, with few conformance cases. */
export function inTurn(paths: readonly string[]): {
  readonly args: readonly string[]
  /** Split the output of a successful program into the outputs of its modules; `undefined` if a module did not end. */
  outputs(printed: string): readonly string[] | undefined
} {
  const mark = `passed ${randomUUID()}`
  const args = [`--test-name-pattern=${FEW_CASES}`, '--import', STRICT_ASSERT, RUN_IN_TURN, mark, ...paths]
  const outputs = (printed: string): readonly string[] | undefined => {
    const parts = printed.split(mark)
    return parts.length === paths.length + 1 ? parts.slice(0, paths.length) : undefined
  }
  return { args, outputs }
}

/**
 * Run TypeScript examples that can share a process in one process, each in an empty folder. Returns the examples that
 * passed: all, or none if an example failed, caused an unhandled error, or kept the process from ending.
 */
export async function runInTurn(examples: readonly Example[]): Promise<ReadonlySet<Example>> {
  const shared = examples.filter(sharesProcess)
  if (shared.length === 0) return new Set()
  const { args, outputs } = inTurn(shared.map(({ path }) => path))
  const { exitCode, output } = await inEmptyFolder((folder) =>
    execute(process.execPath, args, folder, { timeout: 60_000 + shared.length * 1_000 }),
  )
  return new Set(exitCode === 0 && outputs(output) !== undefined ? shared : [])
}

/**
 * Run the shell examples of one document in one folder, in order, until one fails. At first, the folder contains only
 * the TypeScript examples of the document that have a file name.
 */
export async function runShell(
  examples: readonly Example[],
  files: readonly Example[] = [],
): Promise<Outcome & { readonly last: Example | undefined }> {
  return await inEmptyFolder(async (folder) => {
    const bin = join(folder, '.bin')
    mkdirSync(bin)
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'packages/cli/src/bin.ts')}' "$@"\n`
    writeFileSync(join(bin, 'spillway'), shim)
    chmodSync(join(bin, 'spillway'), 0o755)
    // The files are symbolic links, so that their imports are resolved from the original folder.
    for (const { file, path } of files) if (file !== undefined) symlinkSync(path, join(folder, file))
    let outcome: Outcome = { exitCode: 0, output: '' }
    for (const example of examples) {
      const env = await serviceVariables(example.code)
      // If its input were a socket, bash would act as a remote shell, and read the startup files of the user.
      outcome = await execute('bash', ['--norc', '-euo', 'pipefail', '-c', example.code], folder, { bin, env })
      if (outcome.exitCode !== 0) return { ...outcome, last: example }
    }
    return { ...outcome, last: examples.at(-1) }
  })
}

async function inEmptyFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-example-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function serviceVariables(code: string): Promise<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = {}
  for (const [name, names] of Object.entries(OWN_SERVER_VARIABLES)) {
    if (!names.some((variable) => code.includes(variable))) continue
    const service = await sharedService(name as ServiceName)
    if (service.available) Object.assign(variables, variablesOf(service))
  }
  return variables
}

function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  options: { readonly bin?: string; readonly env?: Readonly<Record<string, string>>; readonly timeout?: number } = {},
): Promise<Outcome> {
  const { bin, env, timeout = TIMEOUT_MS } = options
  const inherited = { ...process.env }
  for (const name of NOT_INHERITED) delete inherited[name]
  const path = [bin, dirname(process.execPath), inherited['PATH']]
    .filter((entry) => entry !== undefined)
    .join(delimiter)
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd, env: { ...inherited, ...env, PATH: path }, maxBuffer: 1e8, timeout },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ exitCode, output: `${stdout}${stderr}` })
      },
    )
  })
}
