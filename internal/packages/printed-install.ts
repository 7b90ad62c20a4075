/** Runs an install line of a README in an empty folder, as it is printed. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { inTurn, STRICT_ASSERT } from '../docs/run-example.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { LINKED_PACKAGES } from './consumer-project.ts'
import { ROOT } from './public-packages.ts'

/** The file name of the module that runs. */
export const EXAMPLE = 'example.ts'

/** A folder in which an install line has run. */
export interface PrintedInstall {
  /** Run {@link EXAMPLE} in a separate folder, with other files of its document. Resolves to its output. */
  runModule(files: Readonly<Record<string, string>>, env?: NodeJS.ProcessEnv): Promise<string>
  /** Run several modules in one process. Resolves to the output of each; `undefined` if one failed. */
  runInTurn(modules: readonly Readonly<Record<string, string>>[]): Promise<readonly string[] | undefined>
  /** Run shell commands in a separate folder. Resolves to their output. */
  runShell(commands: string): Promise<string>
  remove(): void
}

/**
 * Run the commands of an install line in an empty folder.
 *
 * @param registry - The URL of the registry with the packed packages.
 */
export async function runInstallLine(commands: string, registry: string): Promise<PrintedInstall> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-readme-')))
  const globals = join(folder, 'global')
  // pnpm reads the registry of a scope only from this file, and npm with --global only from the environment.
  writeFileSync(join(folder, '.npmrc'), `@spillway:registry=${registry}\n`)
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env
  const env = {
    ...inherited,
    'npm_config_@spillway:registry': registry,
    npm_config_userconfig: join(folder, '.npmrc'),
    npm_config_prefix: globals,
    npm_config_prefer_offline: 'true',
    pnpm_config_prefer_offline: 'true',
    PNPM_HOME: globals,
    // By default, the store would be below `PNPM_HOME`, and every package would be downloaded again.
    pnpm_config_store_dir: dirname(await execute('pnpm', ['store', 'path'], ROOT, inherited)),
    ...(isFull ? {} : LINKED_PACKAGES),
    PATH: [join(globals, 'bin'), globals, dirname(process.execPath), inherited['PATH']].join(delimiter),
  }
  const shell = ['--norc', '-euo', 'pipefail', '-c']
  await execute('bash', [...shell, commands], folder, env)
  let folders = 0
  const folderWith = (files: Readonly<Record<string, string>> = {}): string => {
    const path = join(folder, `example-${folders++}`)
    mkdirSync(path)
    for (const [file, code] of Object.entries(files)) writeFileSync(join(path, file), code)
    return path
  }
  return {
    runModule: (files, own) =>
      execute(process.execPath, ['--import', STRICT_ASSERT, EXAMPLE], folderWith(files), { ...env, ...own }),
    runInTurn: async (modules) => {
      const { args, outputs } = inTurn(modules.map((files) => join(folderWith(files), EXAMPLE)))
      const printed = await execute(process.execPath, args, folderWith(), env).catch((error: unknown) => {
        if (error instanceof ProgramFailed) return ''
        throw error
      })
      return outputs(printed)
    },
    runShell: async (commands) => await execute('bash', [...shell, commands], folderWith(), env),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Thrown if a program fails. The message is its whole output. */
class ProgramFailed extends Error {}

/** Run a program. Resolves to its standard output. Rejects if the program fails. */
async function execute(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: 1e8, timeout: 300_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new ProgramFailed(`${args.at(-1)}\n${stdout}${stderr}`))
    })
  })
}
