import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { extractDocFences, extractFences, type Fence } from './extract-fences.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Inside this package, so that the names of all packages resolve to their sources. */
const FOLDER = join(import.meta.dirname, '.examples')
const SOURCES = ['packages/*/src/**/*.ts', 'packages/{storage,adapters}/*/src/**/*.ts']
const DOCUMENTS = ['*.md', 'packages/**/README.md', 'docs/**/*.md', 'examples/**/README.md', 'benchmarks/**/README.md']

/** A fence that is checked, with where it stands. */
export interface Example extends Fence {
  /** Such as `README.md:12`. */
  readonly name: string
  /** The document's path, relative to the root. */
  readonly document: string
  /** Where a TypeScript example was written; its lines have the numbers that they have in the document. */
  readonly path: string
}

/** Find the examples of the workspace and write those in TypeScript to files. */
export function collectExamples(): Example[] {
  rmSync(FOLDER, { recursive: true, force: true })
  return findDocuments().flatMap((document) => {
    const content = readFileSync(join(ROOT, document), 'utf8')
    const fences = document.endsWith('.ts') ? extractDocFences(document, content) : extractFences(content)
    return fences.map((fence) => writeExample(document, fence))
  })
}

/** Write an example where the workspace's packages resolve, below as many empty lines as stand before it. */
export function writeExample(document: string, fence: Fence): Example {
  const slug = document.replaceAll(/[^\w.-]+/g, '-').replace(/\.ts$/, '')
  const suffix = isVitest(fence) ? '.test.ts' : '.ts'
  const path = join(FOLDER, slug, fence.file ?? `line-${fence.line}${suffix}`)
  if (fence.language === 'ts' && !fence.flags.includes('ignore')) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '\n'.repeat(fence.line - 1) + fence.code + '\n')
  }
  return { ...fence, name: `${document}:${fence.line}`, document, path }
}

/** Whether an example registers vitest tests, and so runs under vitest. */
export function isVitest({ code }: Fence): boolean {
  return /from '(?:vitest|@spillway\/[\w/-]+\/vitest)'/.test(code)
}

/** Put the document's name where a message has the path of the file that was written for it. */
export function renameInMessage(message: string, examples: readonly Example[]): string {
  let renamed = message
  for (const { path, document } of examples) {
    renamed = renamed.replaceAll(path, document).replaceAll(relative(ROOT, path), document)
  }
  return renamed
}

function findDocuments(): string[] {
  const exclude = (path: string): boolean => /node_modules|(?:^|[\\/])dist(?:[\\/]|$)|CHANGELOG/.test(path)
  const found = globSync([...SOURCES, ...DOCUMENTS], { cwd: ROOT, exclude })
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.test.ts') && path !== 'CLAUDE.md')
    .toSorted()
}
