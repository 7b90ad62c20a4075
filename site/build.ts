// Builds the documentation site from the Markdown of this repository.
//   node site/build.ts          writes site/.vitepress/dist
//   node site/build.ts --pages  writes only the Markdown, to site/pages
//   node site/build.ts --dev    serves the pages, and starts anew when called again
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { apiPages } from './api-pages.ts'
import { commandPage, eventPage, splitPages } from './generated-pages.ts'
import { SECTIONS } from './pages.ts'
import { quickstartPages } from './quickstart-pages.ts'
import { PAGES, readSource, SOURCE_PAGES, type WrittenPage } from './read-source.ts'
import { runTool } from './run-tool.ts'

const HERE = import.meta.dirname

function writtenPages(): WrittenPage[] {
  const generated = [...quickstartPages(), ...splitPages(), commandPage(), eventPage(), ...apiPages()]
  const made = new Set(generated.map(({ path }) => path))
  const plain = SOURCE_PAGES.filter(({ path }) => !made.has(path)).map(({ path, title, source }) => ({
    path,
    title,
    markdown: readSource(source),
  }))
  return [...plain, ...generated]
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
  const generated = { Benchmarks: 'reference/benchmarks', API: 'api', 'Error codes': 'errors', Decisions: 'decisions' }
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
if (!process.argv.includes('--pages')) runTool('vitepress', [process.argv.includes('--dev') ? 'dev' : 'build', '.'])
