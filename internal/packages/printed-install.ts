/** Empty folders in which an install line of a README runs as it is printed. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { inTurn, STRICT_ASSERT } from '../docs/run-example.ts'
import { isFull } from '../test-run/src/test-run.ts'
import { LINKED_PACKAGES } from './consumer-project.ts'
import { ROOT } from './public-packages.ts'

/** The name of the module that runs. */
export const EXAMPLE = 'example.ts'

/** A folder in which an install line has run. */
export interface PrintedInstall {
  /** Run {@link EXAMPLE} in a folder of its own, beside other files of its document; resolves to what it printed. */
  runModule(files: Readonly<Record<string, string>>, env?: NodeJS.ProcessEnv): Promise<string>
  /** Run several modules like this in one process; resolves to what each printed, or `undefined` if one failed. */
  runInTurn(modules: readonly Readonly<Record<string, string>>[]): Promise<readonly string[] | undefined>
  /** Run shell commands in a folder of their own; resolves to what they printed. */
  runShell(commands: string): Promise<string>
  remove(): void
}

/**
 * Run the commands of an install line in an empty folder.
 *
 * @param registry - The address of the registry that has the packed packages.
 */
export async function runInstallLine(commands: string, registry: string): Promise<PrintedInstall> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-readme-')))
  const globals = join(folder, 'global')
  // pnpm reads the registry of a scope from the file alone, npm with --global from the environment alone.
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
    // Without a name for it, the store is below `PNPM_HOME`, and every package is downloaded again.
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

/** A program has ended with an error. The message is all that it printed. */
class ProgramFailed extends Error {}

/** Resolves to standard output; rejects if the program fails. */
async function execute(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: 1e8, timeout: 300_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new ProgramFailed(`${args.at(-1)}\n${stdout}${stderr}`))
    })
  })
}
