import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { extractDocFences, extractFences, type Fence } from './extract-fences.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Inside this package, so that the names of all packages resolve to their sources. */
const EXAMPLES = join(import.meta.dirname, '.examples')
const SOURCES = ['packages/*/src/**/*.ts', 'packages/{storage,adapters}/*/src/**/*.ts']
const DOCUMENTS = ['*.md', 'packages/**/README.md', 'docs/**/*.md', 'examples/**/README.md', 'benchmarks/**/README.md']

/** A checked fence and its position. */
export interface Example extends Fence {
  /** Such as `README.md:12`. */
  readonly name: string
  /** The document's path, relative to the root. */
  readonly document: string
  /** Path of the TypeScript file of an example. Its line numbers are those of the document. */
  readonly path: string
}

/** Options for finding examples. */
export interface CollectOptions {
  /**
   * The package whose examples are found, as a path relative to the root; `.` for documents that belong to no package.
   * The default is all examples.
   */
  readonly of?: string | undefined
  /** The purpose of the files, so that two programs that run at the same time write to different folders. */
  readonly purpose: 'run' | 'typecheck' | 'test'
}

/** Find examples and write those in TypeScript to files. */
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

/** The TypeScript examples that must compile. */
export function checkedExamples(examples: readonly Example[]): Example[] {
  return examples.filter(({ language, flags }) => language === 'ts' && !flags.includes('ignore'))
}

/** The folder that examples are written to. */
export function exampleFolder(purpose: string, of: string): string {
  return join(EXAMPLES, purpose, of === '.' ? 'root' : of.replaceAll(/[^\w-]+/g, '-'))
}

/** Write an example into a folder that resolves the workspace's packages, below as many empty lines as stand before it. */
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

/** Whether an example registers vitest tests, and so runs under vitest. */
export function isVitest({ code }: Pick<Fence, 'code'>): boolean {
  return /from '(?:vitest|@spillway\/[\w/-]+\/vitest)'/.test(code)
}

/** Replace the path of a written file by the document's name in a message. */
export function renameInMessage(message: string, examples: readonly Example[]): string {
  let renamed = message
  for (const { path, document } of examples) {
    renamed = renamed.replaceAll(path, document).replaceAll(relative(ROOT, path), document)
  }
  return renamed
}

/**
 * The package that a document belongs to: the closest folder above it with a manifest, or `.`. READMEs of examples and
 * benchmarks belong to no package: a process for each of these few documents would cost more than what it checks.
 */
export function packageOf(document: string): string {
  if (!document.startsWith('packages/')) return '.'
  for (let folder = dirname(document); folder !== '.'; folder = dirname(folder))
    if (existsSync(join(ROOT, folder, 'package.json'))) return folder
  return '.'
}

/** List the documents and sources of a package, or those that belong to no package (`.`), or all. */
export function listDocuments(of?: string): string[] {
  const exclude = (path: string): boolean => /node_modules|(?:^|[\\/])dist(?:[\\/]|$)|CHANGELOG/.test(path)
  const found = globSync([...SOURCES, ...DOCUMENTS], { cwd: ROOT, exclude })
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts') && path !== 'CLAUDE.md')
    .filter((path) => of === undefined || packageOf(path) === of)
    .toSorted()
}
