import { cpSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SECTIONS, type Page } from './pages.ts'

export const ROOT: string = join(import.meta.dirname, '..')
/** The folder of the Markdown files that VitePress builds. */
export const PAGES: string = join(import.meta.dirname, 'pages')
const REPOSITORY = 'https://github.com/spillway-js/spillway'

/** A page that is ready to be written: Markdown with the links of the site. */
export interface WrittenPage {
  readonly path: string
  readonly title: string
  readonly markdown: string
}

const decisions = globSync('docs/decisions/*.md', { cwd: ROOT })
  .toSorted()
  .map((source): Page => {
    const name = posix.basename(source, '.md')
    const [, title = name] = /^# (.*)$/m.exec(readFileSync(join(ROOT, source), 'utf8')) ?? []
    return { path: `decisions/${name}`, title, source }
  })

/** All pages that are made of one Markdown file each. */
export const SOURCE_PAGES: readonly Page[] = [...SECTIONS.flatMap(({ pages }) => pages), ...decisions]

/** Files whose sections of a level are pages of their own. */
export const SPLIT_SOURCES = [
  { source: 'docs/errors.md', level: 3, path: 'errors' },
  { source: 'docs/benchmarks.md', level: 2, path: 'reference/benchmarks' },
] as const

/** Pages by the file that they are made of, or by one of its sections. */
const paths: ReadonlyMap<string, string> = new Map([
  ...SOURCE_PAGES.map(({ source, path, sections }): [string, string] => [
    sections === undefined ? source : `${source}#${anchorOf(sections.at(-1) ?? '')}`,
    path,
  ]),
  ...SPLIT_SOURCES.flatMap(({ source, level, path }) =>
    sectionsAt(readFileSync(join(ROOT, source), 'utf8'), level).map(({ anchor }): [string, string] => [
      `${source}#${anchor}`,
      `${path}/${anchor}`,
    ]),
  ),
])

/** Read a Markdown file of the repository, with links to pages of the site where it has them. */
export function readSource(source: string): string {
  return linkPages(readFileSync(join(ROOT, source), 'utf8'), source, paths)
}

/** Rewrite links to pages of the site, or to the repository if the site does not have them. */
export function linkPages(markdown: string, source: string, pages: ReadonlyMap<string, string>): string {
  const rewrite = (target: string): string => {
    const image = /^https:\/\/raw\.githubusercontent\.com\/spillway-js\/spillway\/main\/(.*)$/.exec(target)?.[1]
    if (image !== undefined) return copyImage(image)
    const own = new RegExp(`^${REPOSITORY}(?:/(?:blob|tree)/main/([^#]*))?(#.*)?$`).exec(target)
    const local = own === null ? target : posix.relative(posix.dirname(source), own[1] ?? 'README.md') + (own[2] ?? '')
    if (/^(?:[a-z]+:|#)/.test(local)) return local
    const [path = '', anchor] = local.split('#')
    const file = posix.join(posix.dirname(source), path).replace(/\/$/, '')
    if (path.endsWith('.png')) return copyImage(file)
    const names = [file, `${file}.md`, `${file}/README.md`]
    const section = names.map((name) => pages.get(`${name}#${anchor}`)).find(Boolean)
    if (section !== undefined) return `/${section}`
    const page = names.map((name) => pages.get(name)).find(Boolean)
    return `${page === undefined ? `${REPOSITORY}/blob/main/${file}` : `/${page}`}${anchor === undefined ? '' : `#${anchor}`}`
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
  return splitFences(markdown)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('')
}

/** Split Markdown at its fenced blocks of code, which get the odd indexes. */
export function splitFences(markdown: string): string[] {
  return markdown.split(/^(```[^]*?^```)$/m)
}

/** A part of a Markdown file, up to the next heading of its level or above. */
interface MarkdownSection {
  readonly title: string
  readonly anchor: string
  /** With its heading. */
  readonly markdown: string
}

/** List the sections of a level. */
export function sectionsAt(markdown: string, level: number): MarkdownSection[] {
  const mark = '\u0000'
  const parts = outsideCode(markdown, (text) => text.replaceAll(new RegExp(`^(?=#{1,${level}} )`, 'gm'), mark))
  return parts.split(mark).flatMap((part) => {
    const [, marks, title = ''] = /^(#+) (.*)/.exec(part) ?? []
    return marks?.length === level ? [{ title, anchor: anchorOf(title), markdown: part.trim() }] : []
  })
}

/** Return a section of level 2. Throws if the section is missing. */
export function sectionOf(markdown: string, title: string): string {
  const section = sectionsAt(markdown, 2).find((one) => one.title === title)
  if (section === undefined) throw new Error(`There is no section "${title}".`)
  return section.markdown
}

/** The anchor of a heading, as GitHub makes it, so that links hold in both places. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
