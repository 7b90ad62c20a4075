/**
 * Draws 40 random sentences from each of four sources, for a reader who judges their clarity:
 *
 *     node internal/lint/draw-sentences.ts [seed]
 */
import { seededRandom } from '@spillway-internal/test-run/seeded-random'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sentencesOf } from './plain-english.ts'

const ROOT = join(import.meta.dirname, '../..')
const DRAWN = 40
const TEST = /\.test\.ts$|\/test\//
const QUOTED = "(?:'((?:[^'\\\\\\n]|\\\\.)+)'|`((?:[^`\\\\]|\\\\.)+)`)"
const TITLE = new RegExp(`^ *(?:(?:it|test)\\b[^'\`\\n]*\\(|\\]\\)\\(|title:\\s+)${QUOTED}`, 'gm')
const DESCRIBE = /^describe(?:\.each\(\[\n(?: .*\n|\n)*\].*?\)|[^'"`\n]*)\((['"`])((?:(?!\1).)+)\1/gm
const MESSAGE = new RegExp(`(?:new \\w*Error\\(\\s*(?:'[\\w-]+',\\s*)?|message = )${QUOTED}`, 'g')

const seed = Number(process.argv[2] ?? Math.trunc(Math.random() * 1e9))
if (Number.isNaN(seed)) throw new TypeError(`The seed must be a number, got ${process.argv[2]}.`)
const sources = globSync('packages/**/src/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })
const titled = globSync('{packages,internal}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })
const pages = globSync(['*.md', 'docs/*.md', 'packages/**/README.md'], {
  cwd: ROOT,
  exclude: ['**/node_modules', 'docs/benchmarks.md'],
})

console.log(`seed ${seed}`)
const random = seededRandom(seed)
print('docs', matchesIn(pages, /[^]+/g, sentencesOf, proseOf))
print('doc comments', matchesIn(withoutTests(sources), /\/\*\*([^]*?)\*\//g, sentencesOf))
print('test titles', matchesIn(titled, TITLE, withDescribe))
print('messages', matchesIn(withoutTests(sources), MESSAGE, undefined, withoutComments))

/** Return the texts of all matches with their paths. The first group of a match is its text, and `parts` splits it. */
function matchesIn(
  paths: readonly string[],
  pattern: RegExp,
  parts = (text: string, _match: RegExpExecArray): readonly string[] => [text],
  prepare = (text: string): string => text,
): string[] {
  return paths.toSorted().flatMap((path) =>
    [...prepare(readFileSync(join(ROOT, path), 'utf8')).matchAll(pattern)].flatMap((match) =>
      parts(match.slice(1).find((group) => group !== undefined) ?? match[0], match)
        .filter((text) => text.includes(' '))
        .map((text) => `${text.replaceAll('\n', ' ')}  (${path})`),
    ),
  )
}

/** Return the paragraphs and list items of a page, without its code, tables, headings, and addresses of links. */
function proseOf(page: string): string {
  return page
    .replaceAll(/`[^`\n]+`/g, (code) => code.replaceAll(' ', '\u{a0}'))
    .replace(/^ *```[^]*?^ *```/gm, '')
    .replace(/^[ ]*[|#<].*$/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
}

/** Add the title of the `describe` around an indented test to the title of the test. */
function withDescribe(title: string, match: RegExpExecArray): readonly [string] {
  const before = match[0].startsWith(' ') ? match.input.slice(0, match.index) : ''
  const described = [...before.matchAll(DESCRIBE)].at(-1)?.[2]
  return [described === undefined ? title : `${described} › ${title}`]
}

function withoutComments(source: string): string {
  return source.replace(/\/\*\*[^]*?\*\//g, '')
}

function withoutTests(paths: readonly string[]): string[] {
  return paths.filter((path) => !TEST.test(path))
}

function print(name: string, texts: string[]): void {
  console.log(`\n${name}: ${Math.min(DRAWN, texts.length)} of ${texts.length}`)
  for (let number = 1; number <= DRAWN && texts.length > 0; number += 1) {
    const [text = ''] = texts.splice(Math.floor(random() * texts.length), 1)
    console.log(`${String(number).padStart(2)}. ${text}`)
  }
}
