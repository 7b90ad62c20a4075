import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listReadmes, ROOT } from '../packages/public-packages.ts'
import type { Checks } from './checks.ts'
import { listDocuments } from './collect-examples.ts'
import { extractFences } from './extract-fences.ts'
import { installLines } from './install-line.ts'
import { fetchesStranger } from './printed-commands.ts'

const REPOSITORY = 'https://github.com/spillway-js/spillway'
const NODE = 'Node.js 22.14 or newer'

/**
 * Check the common parts of the READMEs of published packages, and the commands that documents print.
 *
 * @param of - The package whose documents are checked: its path from the root, or `.` for documents of no package.
 */
export async function checkReadmes(checks: Checks, of: string): Promise<void> {
  const documents = listDocuments(of)
  await checks.run('No document and no message has a command that runs a package of another publisher', () =>
    documents.flatMap((path) => fetchesStranger(read(path)).map((command) => `${path}: ${command}`)),
  )
  const readmes = listReadmes()
  for (const path of documents.filter((one) => readmes.includes(one))) await checkReadme(checks, path)
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

async function checkReadme(checks: Checks, path: string): Promise<void> {
  const text = read(path)
  const fences = extractFences(text)
  const run = (name: string, findProblems: () => readonly string[]): Promise<void> =>
    checks.run(`${path} ${name}`, findProblems)

  await run('has install lines that create an ES module', () => {
    const local = installLines(fences).filter(({ fence }) => !fence.code.includes('--global'))
    const incomplete = local.filter(({ fence }) => !fence.code.includes('\nnpm pkg set type=module'))
    return incomplete.map(({ fence }) => `line ${fence.line}`)
  })

  await run(`names the required Node.js: ${NODE}`, () => {
    const named = new Set(Array.from(text.matchAll(/Node\.js \d+(?:\.\d+)?.{9}/g), ([match]) => match))
    return named.has(NODE) ? [...named].filter((name) => name !== NODE) : ['not named']
  })

  await run('says that the packages are not on npm yet', () => {
    const notice = path === 'README.md' ? '## Not on npm yet' : `[not on npm yet](${REPOSITORY}#not-on-npm-yet)`
    return text.includes(notice) ? [] : [notice]
  })

  await run('starts with an example that runs without a key', () => {
    const first = fences.find(({ language, flags }) => language === 'ts' || flags.includes('run'))
    return first === undefined || first.flags.includes('no-run') ? ['The first example does not run.'] : []
  })

  await run('names the environment variable for the key that a model needs', () => {
    const needsKey = fences.filter(
      ({ flags, code }) => flags.includes('no-run') && /['"].*\b(?:gpt|claude|gemini)-/.test(code),
    )
    const silent = needsKey.filter(({ sections }) => !/\w+_API_KEY/.test(sectionAt(text, sections.at(-1) ?? 1)))
    return silent.map(({ line }) => `line ${line}`)
  })

  await run('has the sections of every README in order', () => {
    if (path === 'README.md') return []
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading)
    const [first, second] = headings
    const last = headings.indexOf('Limits')
    const after = last < 0 ? [] : headings.slice(last + 1)
    const misplaced = after.filter((heading) => !['Conformance', 'Tested versions'].includes(heading))
    return first === 'Install' && second === 'First example' ? misplaced : ['It begins with other sections.']
  })

  await run('links only to existing targets, even outside the repository', () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const anchors = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)))
    return targets.filter((target) => {
      const [place = '', anchor = ''] = target.split('#')
      if (place === '') return !anchors.has(anchor)
      const own = place.startsWith(REPOSITORY) ? place.slice(REPOSITORY.length) : undefined
      if (own !== undefined) return !existsSync(join(ROOT, own.replace(/^\/(?:tree|blob)\/main/, '')))
      // The README of the root is not in a package, so only its links may be relative.
      return !place.startsWith('https://') && !(path === 'README.md' && existsSync(join(ROOT, place)))
    })
  })
}

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
