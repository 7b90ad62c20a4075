import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { parseSync } from 'oxc-parser'
import { packageFolders } from './test-run.ts'

const CODE = /\.(?:ts|tsx|mts|mjs|cjs|js)$/
/** Files that determine how the code of a package is found and compiled. */
const SETTINGS = ['package.json', 'tsconfig.json']
const NOT_SOURCES = /(?:^|\/)(?:node_modules|dist|\.[^/]+)(?:\/|$)/

/** Path, relative to a package's folder, of the list that {@link writeReachedSources} writes. Turbo reads it. */
export const REACHED_SOURCES = '.reports/reached-sources.txt'

interface Package {
  readonly folder: string
  readonly name?: string
  readonly exports?: Targets
  readonly imports?: Readonly<Record<string, Targets>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

type Targets = string | null | { readonly [condition: string]: Targets }

/**
 * List, for each package, the files outside of its folder that its code can reach at run time, each with a hash.
 *
 * Strings in code reach files: imports, and also paths of files that are started or read. Comments and imports of types
 * are ignored, also for the hash, because they do not change what runs.
 *
 * @param root - The folder of the workspace.
 * @param runners - Files that every package reaches, relative to the root.
 * @returns By folder, relative to the root: lines with a hash and a path.
 */
export function reachedSources(root: string, runners: readonly string[] = []): ReadonlyMap<string, readonly string[]> {
  const workspace = new Workspace(root)
  return new Map(
    workspace.packages.map((one) => {
      const own = workspace.filesOf(one.folder).filter((path) => CODE.test(path))
      const reached = new Set([...own, ...runners])
      for (const path of reached) for (const next of workspace.read(path).reaches) reached.add(next)
      for (const { folder } of new Set([...reached].flatMap((path) => workspace.packageOf(path) ?? [])))
        for (const name of SETTINGS) if (existsSync(join(root, folder, name))) reached.add(`${folder}/${name}`)
      const others = [...reached].filter((path) => workspace.packageOf(path) !== one).toSorted()
      return [one.folder, others.map((path) => `${workspace.read(path).hash} ${path}`)]
    }),
  )
}

/** Write the lists of {@link reachedSources} for the tests of this workspace. They all run with `vitest.config.ts`. */
export function writeReachedSources(root: string): void {
  for (const [folder, lines] of reachedSources(root, ['vitest.config.ts'])) {
    const path = join(root, folder, REACHED_SOURCES)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${lines.join('\n')}\n`)
  }
}

class Workspace {
  /** Packages. Inner packages come first, so that the first package whose folder contains a path is its owner. */
  readonly packages: readonly Package[]
  readonly #root: string
  readonly #read = new Map<string, { readonly hash: string; readonly reaches: readonly string[] }>()

  constructor(root: string) {
    this.#root = root
    this.packages = packageFolders(root)
      .map((folder) => ({ ...JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')), folder }) as Package)
      .toSorted((one, other) => other.folder.length - one.folder.length)
  }

  packageOf(path: string): Package | undefined {
    return this.packages.find(({ folder }) => path.startsWith(`${folder}/`))
  }

  /** Return the files below a folder, without files of packages below it. */
  filesOf(folder: string): readonly string[] {
    const owner = this.packageOf(`${folder}/`)
    return globSync(`${folder}/**/*.*`, { cwd: this.#root, exclude: (path) => NOT_SOURCES.test(this.#relative(path)) })
      .map((path) => this.#relative(path))
      .filter((path) => this.packageOf(path) === owner && this.#isFile(path))
  }

  read(path: string): { readonly hash: string; readonly reaches: readonly string[] } {
    let known = this.#read.get(path)
    if (known === undefined) {
      const content = readFileSync(join(this.#root, path), 'utf8')
      const code = CODE.test(path) ? codeThatRuns(path, content) : undefined
      const hash = createHash('sha256')
        .update(code ?? content)
        .digest('hex')
      known = { hash, reaches: code === undefined ? [] : this.#reachedFrom(path, code) }
      this.#read.set(path, known)
    }
    return known
  }

  #reachedFrom(path: string, code: string): readonly string[] {
    const strings = [...code.matchAll(/'([^'\n]{1,200})'|"([^"\n]{1,200})"|`([^`$\n]{1,200})/g)]
    const names = strings.map(([, single, double, template]) => single ?? double ?? template ?? '')
    return [...new Set(names)].filter((name) => /\w/.test(name)).flatMap((name) => this.#resolve(path, name))
  }

  #resolve(from: string, name: string): readonly string[] {
    if (name.startsWith('.')) return this.#filesAt(join(dirname(from), name))
    if (name.startsWith('#')) {
      const owner = this.packageOf(from)
      return owner === undefined ? [] : targetsOf(owner, owner.imports?.[name])
    }
    // The code appends the name of a package to this scope. The manifest names the possible packages.
    if (/^@[\w-]+\/$/.test(name)) {
      const { dependencies, devDependencies } = this.packageOf(from) ?? {}
      const all = Object.keys({ ...dependencies, ...devDependencies }).filter((one) => one.startsWith(name))
      return all.flatMap((one) => this.#resolve(from, one))
    }
    const of = this.packages.find(
      (one) => one.name !== undefined && (name === one.name || name.startsWith(`${one.name}/`)),
    )
    if (of === undefined) {
      if (!name.includes('/') && !CODE.test(name)) return []
      return [join(dirname(from), name), name].flatMap((path) => this.#filesAt(path))
    }
    const entry = `.${name.slice(of.name?.length)}`
    const { exports = null } = of
    const target = typeof exports === 'object' && exports !== null ? exports[entry] : exports
    const files = targetsOf(of, target).filter((path) => CODE.test(path))
    // The manifest of a package can lead to any of its files, for example to its command.
    return files.length > 0 ? files : this.filesOf(`${of.folder}/src`)
  }

  /** Return the file with this path, or all files in the folder with this path if it contains no packages. */
  #filesAt(joined: string): readonly string[] {
    const path = this.#relative(joined).replace(/\/$/, '')
    if (path.startsWith('..') || NOT_SOURCES.test(path)) return []
    if (this.#isFile(path)) return [path]
    const isPart = this.packageOf(path) !== undefined && existsSync(join(this.#root, path))
    return isPart && !existsSync(join(this.#root, path, 'package.json')) ? this.filesOf(path) : []
  }

  #isFile(path: string): boolean {
    return statSync(join(this.#root, path), { throwIfNoEntry: false })?.isFile() === true
  }

  #relative(path: string): string {
    return relative(this.#root, join(this.#root, path)).replaceAll(sep, '/')
  }
}

/** Return the files of all conditions, because the runtime decides which of them is loaded. */
function targetsOf(of: Package, targets: Targets | undefined): readonly string[] {
  if (typeof targets === 'string') return [join(of.folder, targets).replaceAll(sep, '/')]
  return targets === null || targets === undefined ? [] : Object.values(targets).flatMap((one) => targetsOf(of, one))
}

/** Return code without comments and without imports and exports of types. Lines that are then empty are removed. */
function codeThatRuns(path: string, code: string): string {
  const { comments, module } = parseSync(path, code)
  const statements = [...module.staticImports, ...module.staticExports]
  const types = statements.filter(({ start, end }) => /^(?:import|export)\s+type\b/.test(code.slice(start, end)))
  const removed = [...comments, ...types].toSorted((one, other) => one.start - other.start)
  let from = 0
  let kept = ''
  for (const { start, end } of removed) {
    kept += code.slice(from, Math.max(from, start))
    const lineStart = kept.lastIndexOf('\n') + 1
    const rest = code.slice(Math.max(from, end)).match(/^[^\S\n]*\n/)?.[0].length
    const isLine = rest !== undefined && kept.slice(lineStart).trim() === ''
    if (isLine) kept = kept.slice(0, lineStart)
    from = Math.max(from, end) + (isLine ? rest : 0)
  }
  return kept + code.slice(from)
}
