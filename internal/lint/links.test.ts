/** Checks that links between files lead to existing files and headings, and that paths in AGENTS.md exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { extractFences } from '../docs/extract-fences.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENTS = globSync(['*.md', '{docs,packages,examples,benchmarks,internal}/**/*.md', '.changeset/*.md'], {
  cwd: ROOT,
  exclude: (path) => /node_modules|CHANGELOG|\.examples/.test(path),
})

it.each(DOCUMENTS.toSorted())('%s links only to existing targets', (document) => {
  const broken = linksOf(document).filter((link) => !leadsSomewhere(document, link))
  expect(broken).toEqual([])
})

it('AGENTS.md names only existing files', () => {
  const paths = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').matchAll(/`([\w.-]+\/[\w./-]*)`/g)
  const missing = [...paths].map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))
  expect(missing).toEqual([])
})

it('links are found in text but not in code', () => {
  expect(linksIn('[a](b.md) `[c](d.md)` ![e](f.svg "title") [g](https://example.com) <a href="h.md">')).toEqual([
    'b.md',
    'f.svg',
    'h.md',
  ])
})

function linksOf(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return linksIn(extractFences(text).reduce((rest, { code }) => rest.replace(code, ''), text))
}

function linksIn(text: string): string[] {
  const links = text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)[^)]*\)|(?:href|src)="([^"]+)"/g)
  return [...links].map(([, inline, attribute]) => inline ?? attribute ?? '').filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', heading] = decodeURIComponent(link).split('#')
  const target = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path)
  if (!existsSync(target)) return false
  if (heading === undefined || !target.endsWith('.md')) return true
  const headings = readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)
  return [...headings].some(([, title = '']) => slugOf(title) === heading)
}

/** Return the anchor of a heading, as code hosts create it. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}
