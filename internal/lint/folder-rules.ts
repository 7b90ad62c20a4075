/** Rules about the size and number of files, as data, and one function that lists violations. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const { basename, dirname } = posix

/** Files of a folder, tests not counted. */
const MOST_FILES = 12
/** Files of one folder that import each other in a row; types and `import()` do not count, as they load nothing. */
const MOST_LEVELS = 5
/** Lines of a file and of the only one that imports it, from which on they stay apart. */
const MOST_LINES = 400

const ENTRY_FILES = ['index.ts', 'internal.ts']
const TEST = /\.test(?:-d)?\.ts$/
const IMPORT = /^(import|export)( type)?\b([^'";]*?)from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

interface Import {
  readonly target: string
  readonly kind: 'value' | 'type' | 'lazy'
}

/** Say which sources, at paths relative to `root`, go against the rules, a sentence each. */
export function folderFaults(root: string, paths: readonly string[]): string[] {
  const sources = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !TEST.test(path))
  const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const imports = new Map([...texts].map(([file, text]) => [file, importsOf(file, text)]))
  const folders = Map.groupBy(sources, (file) => dirname(file))
  const faults = [...folders].flatMap(([folder, own]) => {
    const levels = Math.max(...own.map((file) => levelOf(file, imports)))
    return [
      ...(own.length > MOST_FILES ? [`${folder} has ${own.length} files; ${MOST_FILES} are enough.`] : []),
      ...(levels > MOST_LEVELS ? [`${folder} has ${levels} levels of imports; ${MOST_LEVELS} are enough.`] : []),
    ]
  })
  for (const file of sources) {
    const importers = [...imports].flatMap(([importer, all]) =>
      all.filter(({ target }) => target === file).map(({ kind }) => ({ importer, kind })),
    )
    const [only] = new Set(importers.map(({ importer }) => importer))
    if (only === undefined || importers.some(({ importer, kind }) => importer !== only || kind === 'lazy')) continue
    if (dirname(only) !== dirname(file) || ENTRY_FILES.includes(basename(only))) continue
    if (linesOf(texts.get(file)) + linesOf(texts.get(only)) > MOST_LINES) continue
    faults.push(`${file} is only imported by ${basename(only)}: it is part of it.`)
  }
  return faults
}

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, , type, names = '', specifier, lazy]) => ({
    target: posix.join(dirname(file), specifier ?? lazy ?? ''),
    kind:
      lazy !== undefined ? 'lazy' : type !== undefined || /^ \{(?: type \w+,?)+ \} $/.test(names) ? 'type' : 'value',
  }))
}

/** The number of files of a folder, from this one on, that import each other in a row. */
function levelOf(file: string, imports: ReadonlyMap<string, readonly Import[]>): number {
  const below = (imports.get(file) ?? []).filter(
    ({ target, kind }) =>
      kind === 'value' && dirname(target) === dirname(file) && !ENTRY_FILES.includes(basename(file)),
  )
  return 1 + Math.max(0, ...below.map(({ target }) => levelOf(target, imports)))
}

const linesOf = (text = ''): number => text.split('\n').length - 1
