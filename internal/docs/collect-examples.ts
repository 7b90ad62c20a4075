import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { extractDocFences, extractFences, type Fence } from './extract-fences.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Folder for examples. It is in this package, so that the names of all packages resolve to their sources. */
const EXAMPLES = join(import.meta.dirname, '.examples')
const SOURCES = ['packages/*/src/**/*.ts', 'packages/{storage,adapters}/*/src/**/*.ts']
const DOCUMENTS = ['*.md', 'packages/**/README.md', 'docs/**/*.md', 'examples/**/README.md', 'benchmarks/**/README.md']

/** A fence that is checked, and its position. */
export interface Example extends Fence {
  /** The name, for example `README.md:12`. */
  readonly name: string
  /** The document's path, relative to the root. */
  readonly document: string
  /** Path of the TypeScript file of an example. Lines have the same numbers in the file and in the document. */
  readonly path: string
}

/** Options for finding examples. */
export interface CollectOptions {
  /**
   * The package whose examples are found, as a path relative to the root; `.` for documents that belong to no package.
   * Defaults to all packages and documents.
   */
  readonly of?: string | undefined
  /** The purpose of the files. Programs that run at the same time for several purposes write to separate folders. */
  readonly purpose: 'run' | 'typecheck' | 'test'
}

/** Find examples, and write TypeScript examples to files. */
export function collectExamples({ of, purpose }: CollectOptions): Example[] {
  if (of !== undefined && of !== '.' && !existsSync(join(ROOT, of, 'package.json')))
    throw new Error(`There is no package "${of}". Give its path from the root.`)
  const folder = exampleFolder(purpose, of ?? 'everything')
  rmSync(folder, { recursive: true, force: true })
  return listDocuments(of).flatMap((document) => {
    const content = readFileSync(join(ROOT, document), 'utf8')
    const fences = document.endsWith('.ts') ? extractDocFences(document, content) : extractFences(content)
    return fences.map((fence) => writeExample(folder, document, fence))
  })
}

/** Return the TypeScript examples that must compile. */
export function checkedExamples(examples: readonly Example[]): Example[] {
  return examples.filter(({ language, flags }) => language === 'ts' && !flags.includes('ignore'))
}

/** Return the folder for examples. */
export function exampleFolder(purpose: string, of: string): string {
  return join(EXAMPLES, purpose, of === '.' ? 'root' : of.replaceAll(/[^\w-]+/g, '-'))
}

/** Write an example into a folder that resolves workspace packages, with as many lines before it as in the document. */
export function writeExample(folder: string, document: string, fence: Fence): Example {
  const slug = document.replaceAll(/[^\w.-]+/g, '-').replace(/\.ts$/, '')
  const suffix = isVitest(fence) ? '.test.ts' : '.ts'
  const path = join(folder, slug, fence.file ?? `line-${fence.line}${suffix}`)
  if (fence.language === 'ts' && !fence.flags.includes('ignore')) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '\n'.repeat(fence.line - 1) + fence.code + '\n')
  }
  return { ...fence, name: `${document}:${fence.line}`, document, path }
}

/** Return whether an example contains vitest tests, and so runs under vitest. */
export function isVitest({ code }: Pick<Fence, 'code'>): boolean {
  return /from '(?:vitest|@spillway\/[\w/-]+\/vitest)'/.test(code)
}

/** Replace the paths of written files in a message by names of documents. */
export function renameInMessage(message: string, examples: readonly Example[]): string {
  let renamed = message
  for (const { path, document } of examples) {
    renamed = renamed.replaceAll(path, document).replaceAll(relative(ROOT, path), document)
  }
  return renamed
}

/**
 * Return the package of a document: the closest folder above it with a manifest, or `.`. READMEs of examples and
 * benchmarks belong to no package, because a separate process for each of these few documents would be too slow.
 */
export function packageOf(document: string): string {
  if (!document.startsWith('packages/')) return '.'
  for (let folder = dirname(document); folder !== '.'; folder = dirname(folder))
    if (existsSync(join(ROOT, folder, 'package.json'))) return folder
  return '.'
}

/** List the documents and sources of a package, of no package (`.`), or all. */
export function listDocuments(of?: string): string[] {
  const exclude = (path: string): boolean => /node_modules|(?:^|[\\/])dist(?:[\\/]|$)|CHANGELOG/.test(path)
  const found = globSync([...SOURCES, ...DOCUMENTS], { cwd: ROOT, exclude })
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts') && path !== 'CLAUDE.md')
    .filter((path) => of === undefined || packageOf(path) === of)
    .toSorted()
}
