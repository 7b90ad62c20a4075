// Builds the documentation site from the Markdown of this repository.
//   node site/build.ts          writes site/.vitepress/dist
//   node site/build.ts --dev    serves the pages, and starts anew when called again
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { SECTIONS, type Page } from './pages.ts'

const HERE = import.meta.dirname
const ROOT = join(HERE, '..')
const PAGES = join(HERE, 'pages')
const REPOSITORY = 'https://github.com/spillway-js/spillway/blob/main'

/** A page that is ready to be written: Markdown with the links of the site. */
interface WrittenPage {
  readonly path: string
  readonly title: string
  readonly markdown: string
}

const decisions: readonly Page[] = globSync('docs/decisions/*.md', { cwd: ROOT })
  .toSorted()
  .map((source) => {
    const name = posix.basename(source, '.md')
    return { path: `decisions/${name}`, title: headingOf(readFileSync(join(ROOT, source), 'utf8')), source }
  })

const bySource = new Map(
  [...SECTIONS.flatMap(({ pages }) => pages), ...decisions].map((page) => [page.source, page.path]),
)

function headingOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? 'Spillway'
}

/** Rewrite relative links to pages of the site, or to the repository if the site does not have them. */
function linkPages(markdown: string, source: string, pages: ReadonlyMap<string, string>): string {
  const rewrite = (target: string): string => {
    const image = /^https:\/\/raw\.githubusercontent\.com\/spillway-js\/spillway\/main\/(.*)$/.exec(target)?.[1]
    if (image !== undefined) return copyImage(image)
    if (/^(?:[a-z]+:|#)/.test(target)) return target
    const [path = '', anchor] = target.split('#')
    const file = posix.join(posix.dirname(source), path).replace(/\/$/, '')
    if (path.endsWith('.png')) return copyImage(file)
    const page = [file, `${file}.md`, `${file}/README.md`].map((name) => pages.get(name)).find(Boolean)
    return `${page === undefined ? `${REPOSITORY}/${file}` : `/${page}`}${anchor === undefined ? '' : `#${anchor}`}`
  }
  return outsideCode(markdown, (text) =>
    text
      .replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => `](${rewrite(target)})`)
      .replaceAll(/^(\[[^\]]+\]: )(\S+)$/gm, (_, before: string, target: string) => before + rewrite(target))
      .replaceAll('{{', '&#123;&#123;'),
  )
}

/** The site shows its own copy: its pages ask for nothing elsewhere. */
function copyImage(file: string): string {
  cpSync(join(ROOT, file), join(PAGES, 'public', file))
  return `/${file}`
}

/** Change the text between fenced blocks of code. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^(```[^]*?^```)$/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}

function writtenPages(): WrittenPage[] {
  const written = [...SECTIONS.flatMap(({ pages }) => pages), ...decisions].map(({ path, title, source }) => ({
    path,
    title,
    markdown: linkPages(readFileSync(join(ROOT, source), 'utf8'), source, bySource),
  }))
  return [...written, ...errorPages(), ...apiPages()]
}

/** One page for each code of `docs/errors.md`. */
function errorPages(): WrittenPage[] {
  const source = 'docs/errors.md'
  const [, ...parts] = linkPages(readFileSync(join(ROOT, source), 'utf8'), source, bySource).split(/^### /m)
  return parts.map((part) => {
    const code = /^`([a-z-]+)`/.exec(part)?.[1] ?? ''
    return { path: `errors/${code}`, title: code, markdown: `# ${part.replace(/^## [^]*/m, '')}` }
  })
}

/** One page for each documented entry of each package, from the declarations that are published. */
function apiPages(): WrittenPage[] {
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

function runTool(name: string, args: readonly string[]): void {
  const { status } = spawnSync(join(HERE, 'node_modules/.bin', name), args, { cwd: HERE, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name} ended with ${status}.`)
}

interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly SidebarItem[]
}

function sidebarOf(pages: readonly WrittenPage[]): SidebarItem[] {
  const under = (folder: string): SidebarItem[] =>
    pages
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path, title }) => ({ text: title, link: `/${path}` }))
  const sections = SECTIONS.map(({ title, pages: own }) => ({
    text: title,
    collapsed: title !== 'Start' && title !== 'Concepts',
    items: own.map((page) => ({ text: page.title, link: `/${page.path}` })),
  }))
  const generated = { API: 'api', 'Error codes': 'errors', Decisions: 'decisions' }
  return [
    ...sections,
    { text: 'Playground', link: '/playground' },
    ...Object.entries(generated).map(([text, folder]) => ({ text, collapsed: true, items: under(folder) })),
  ]
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(PAGES, path)), { recursive: true })
  writeFileSync(join(PAGES, path), text)
}

/** Write the pages, their Markdown beside them for agents, and the two lists that agents look for. */
function writeSite(): void {
  rmSync(PAGES, { recursive: true, force: true })
  mkdirSync(PAGES)
  const pages = writtenPages()
  for (const { path, title, markdown } of pages) {
    write(`${path}.md`, `---\ntitle: ${JSON.stringify(title)}\n---\n\n${markdown}`)
    write(`public/${path}.md`, markdown)
  }
  cpSync(join(HERE, 'index.md'), join(PAGES, 'index.md'))
  cpSync(join(HERE, 'playground.md'), join(PAGES, 'playground.md'))
  write('sidebar.json', JSON.stringify(sidebarOf(pages)))
  const about = 'Spillway keeps large tool results out of the context window of an AI agent.'
  const list = pages.map(({ path, title }) => `- [${title}](/${path}.md)`).join('\n')
  write('public/llms.txt', `# Spillway\n\n> ${about}\n\n## Pages\n\n${list}\n`)
  const prose = pages.filter(({ path }) => !/^(?:api|decisions|errors)\//.test(path))
  write('public/llms-full.txt', prose.map(({ path, markdown }) => `<!-- /${path} -->\n\n${markdown}`).join('\n\n'))
}

writeSite()
runTool('vitepress', [process.argv.includes('--dev') ? 'dev' : 'build', relative(HERE, HERE) || '.'])
