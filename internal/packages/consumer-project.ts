/** Empty projects outside the workspace, in which packed packages are installed with npm. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { listPublicPackages, ROOT, tarballOf, withDependencies } from './public-packages.ts'

const projects: string[] = []

/**
 * Environment variables that let pnpm link to unpacked packages of earlier installations, instead of linking each file.
 * As in pnpm's own layout, a package finds only its dependencies.
 */
export const LINKED_PACKAGES = { pnpm_config_enable_global_virtual_store: 'true' } as const

/** A package manager that installs packages in a project; `pnpm-links` with {@link LINKED_PACKAGES}. */
export type Installer = 'npm' | 'pnpm' | 'pnpm-links'

/**
 * Create a project with these files. Install packed packages, the workspace packages that they depend on, and packages
 * from the registry.
 */
export async function installProject(
  files: Readonly<Record<string, string>>,
  packed: readonly string[],
  others: readonly string[] = [],
  installer: Installer = 'npm',
): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'spillway-consumer-')))
  projects.push(folder)
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  const tarballs = tarballsFor(packed)
  // Without overrides, pnpm would ask the registry for workspace packages that are dependencies of other packages.
  const overrides = Object.fromEntries([...tarballs].map(([name, path]) => [name, `file:${path}`]))
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), JSON.stringify({ overrides }))
  const own = [...tarballs].filter(([name]) => installer === 'npm' || packed.includes(name))
  await install(folder, installer, [...own.map(([, path]) => path), ...others])
  return folder
}

/** Return the tarballs of packages, and of the workspace packages that they depend on, by name. */
function tarballsFor(names: readonly string[]): Map<string, string> {
  const packages = listPublicPackages()
  const wanted = names.map(
    (name) => packages.find((one) => one.name === name) ?? expect.fail(`${name} is not published`),
  )
  return new Map(withDependencies(wanted, ['dependencies']).map(({ name, folder }) => [name, tarballOf(folder)]))
}

async function install(folder: string, installer: Installer, packages: readonly string[]): Promise<void> {
  if (installer === 'npm') {
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
    await execute(folder, 'npm', ['install', ...quiet, ...packages])
    return
  }
  const args = ['add', '--config.dangerously-allow-all-builds=true', '--prefer-offline', ...packages]
  const output = await execute(folder, 'pnpm', args, installer === 'pnpm-links' ? LINKED_PACKAGES : {})
  if (!output.includes('Issues with peer dependencies')) return
  // npm fails if pnpm only warns. Missing peers of frameworks are ignored.
  const { output: issues } = await execute(folder, 'pnpm', ['peers', 'check']).then(
    (all) => ({ output: all }),
    (error: { readonly output: string }) => error,
  )
  if (/@spillway\/\S+@\d/.test(issues)) throw new Error(`The peers of a package are not met.\n${issues}`)
}

/** Remove all created projects. */
export function removeProjects(): void {
  for (const folder of projects.splice(0)) rmSync(folder, { recursive: true })
}

/** Make a tool of the workspace available in a project, as if it were installed there. */
export function borrow(folder: string, name: string): void {
  const target = join(folder, 'node_modules', name)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), target, 'junction')
}

/** Run a Node.js program of a project. Resolves to its whole output. */
export function runIn(folder: string, ...args: string[]): Promise<string> {
  return execute(folder, process.execPath, args)
}

/** Type-check a file of a project with the strictest settings. Resolves to the output of the compiler. */
export function typecheckIn(folder: string, file: string, moduleResolution = 'nodenext'): Promise<string> {
  borrow(folder, '@types/node')
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution
  const options = { module, moduleResolution, strict: true, target: 'es2023', lib: ['es2023'], types: ['node'] }
  const compilerOptions = { ...options, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: true }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  return runIn(folder, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.', '--singleThreaded')
}

function execute(
  folder: string,
  command: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<string> {
  const shell = process.platform === 'win32' && command !== process.execPath
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...inherited } = process.env
  const env = { ...inherited, ...variables }
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd: folder, shell, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      const output = stdout + stderr
      if (error === null) resolve(output)
      else reject(Object.assign(new Error(`${command} ${args.join(' ')}\n${output}`), { code: error.code, output }))
    })
  })
}
