import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { linkPages, PAGES, ROOT, type WrittenPage } from './read-source.ts'
import { runTool } from './run-tool.ts'

const HERE = import.meta.dirname

/** One page for each documented entry of each package, from the declarations that are published. */
export function apiPages(): WrittenPage[] {
  const entries = globSync('packages/{*,storage/*,adapters/*}/package.json', { cwd: ROOT })
    .toSorted()
    .flatMap((file) => entriesOf(dirname(file)))
  const out = join(PAGES, '.api')
  runTool('typedoc', [
    ...['--plugin', 'typedoc-plugin-markdown', '--tsconfig', join(HERE, 'tsconfig.json'), '--skipErrorChecking'],
    ...['--readme', 'none', '--router', 'module', '--disableSources', '--hidePageHeader', '--hideBreadcrumbs'],
    ...['--logLevel', 'Error', '--name', 'API', '--out', out],
    ...entries.flatMap(({ types }) => ['--entryPoints', join(ROOT, types)]),
  ])
  const pages = new Map(entries.map(({ path, written }) => [written, path]))
  const written = entries.map(({ path, title, written: file }) => {
    const markdown = readFileSync(join(out, file), 'utf8').replace(/^# .*$/m, `# ${title}`)
    return { path, title, markdown: linkPages(markdown, file, pages) }
  })
  rmSync(out, { recursive: true })
  return written
}

/** An entry of a package, such as `@spillway/core/driver`. */
interface ApiEntry {
  readonly path: string
  readonly title: string
  readonly types: string
  /** The file that TypeDoc writes. */
  readonly written: string
}

function entriesOf(folder: string): ApiEntry[] {
  const { name, publishConfig } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest
  return Object.entries(publishConfig?.exports ?? {}).flatMap(([entry, target]) => {
    if (entry.includes('internal') || typeof target !== 'object' || target.types === undefined) return []
    const title = posix.join(name, entry)
    const types = posix.join(folder, target.types)
    const written = types.replace(/^packages\//, '').replace(/(?:\/index)?\.d\.ts$/, '.md')
    return [{ path: `api/${title.replace('@spillway/', '')}`, title, types, written }]
  })
}

interface Manifest {
  readonly name: string
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, string | { readonly types?: string }>> }
}
