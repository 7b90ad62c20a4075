/** Checks the common parts of the READMEs of published packages, and the commands that documents print. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listReadmes, ROOT } from '../packages/public-packages.ts'
import { listDocuments } from './collect-examples.ts'
import { extractFences } from './extract-fences.ts'
import { installLines } from './install-line.ts'
import { fetchesStranger } from './printed-commands.ts'

const REPOSITORY = 'https://github.com/spillway-js/spillway'

/** The package whose documents are checked: its path from the root, or `.` for documents that belong to no package. */
const of = process.env['SPILLWAY_DOCS_OF']
const documents = listDocuments(of)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

it('no document and no message has a command that runs a package of another publisher', () => {
  const found = documents.flatMap((path) => fetchesStranger(read(path)).map((command) => `${path}: ${command}`))
  expect(found).toEqual([])
})

describe.each(documents.filter((path) => listReadmes().includes(path)))('%s', (path) => {
  const text = read(path)
  const fences = extractFences(text)

  it('has install lines that create an ES module, and names the required Node.js', () => {
    const local = installLines(fences).filter(({ fence }) => !fence.code.includes('--global'))
    const incomplete = local.filter(({ fence }) => !fence.code.includes('\nnpm pkg set type=module'))
    expect(incomplete.map(({ fence }) => `line ${fence.line}`)).toEqual([])
    expect(new Set([...text.matchAll(/Node\.js \d+(?:\.\d+)?.{9}/g)].map(([match]) => match))).toEqual(
      new Set(['Node.js 22.14 or newer']),
    )
  })

  it('says that the packages are not on npm yet', () => {
    const notice = path === 'README.md' ? '## Not on npm yet' : `[not on npm yet](${REPOSITORY}#not-on-npm-yet)`
    expect(text.includes(notice), notice).toBe(true)
  })

  it('starts with an example that runs without a key', () => {
    const first = fences.find(({ language, flags }) => language === 'ts' || flags.includes('run'))
    expect(first?.flags).not.toContain('no-run')
  })

  it('names the environment variable for the key that a model needs', () => {
    const needsKey = fences.filter(
      ({ flags, code }) => flags.includes('no-run') && /['"].*\b(?:gpt|claude|gemini)-/.test(code),
    )
    const silent = needsKey.filter(({ sections }) => !/\w+_API_KEY/.test(sectionAt(text, sections.at(-1) ?? 1)))
    expect(silent.map(({ line }) => `line ${line}`)).toEqual([])
  })

  it.skipIf(path === 'README.md')('has the sections of every README in order', () => {
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
    expect(headings.slice(0, 2)).toEqual(['Install', 'First example'])
    const last = headings.indexOf('Limits')
    const after = last < 0 ? [] : headings.slice(last + 1)
    expect(after.filter((heading) => !['Conformance', 'Tested versions'].includes(heading))).toEqual([])
  })

  it('links only to existing targets, even outside the repository', () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const anchors = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)))
    const wrong = targets.filter((target) => {
      const [place = '', anchor = ''] = target.split('#')
      if (place === '') return !anchors.has(anchor)
      const own = place.startsWith(REPOSITORY) ? place.slice(REPOSITORY.length) : undefined
      if (own !== undefined) return !existsSync(join(ROOT, own.replace(/^\/(?:tree|blob)\/main/, '')))
      // The README of the root is not in a package, so only its links may be relative.
      return !place.startsWith('https://') && !(path === 'README.md' && existsSync(join(ROOT, place)))
    })
    expect(wrong).toEqual([])
  })
})

/** Return the anchor that GitHub creates for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** Return the section with the heading on this line, up to the next heading. */
function sectionAt(text: string, line: number): string {
  const [heading = '', ...rest] = text.split('\n').slice(line - 1)
  const end = rest.findIndex((one) => /^#{1,6} /.test(one))
  return [heading, ...rest.slice(0, end < 0 ? undefined : end)].join('\n')
}
