/** Rules about the size and number of files, as data, and one function that lists violations. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const { basename, dirname } = posix

/** Limit of the files in a folder, without tests. */
const MOST_FILES = 12
/**
 * Limit of the chain of imports in one folder. Imports of types and `import()` do not count, because they load nothing.
 */
const MOST_LEVELS = 5
/** Limit of the lines of a file and its only importer together. Longer files need not be joined. */
const MOST_LINES = 400

const ENTRY_FILES = ['index.ts', 'internal.ts']
const TEST = /\.test(?:-d)?\.ts$/
const IMPORT = /^(import|export)( type)?\b([^'";]*?)from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

interface Import {
  readonly target: string
  readonly kind: 'value' | 'type' | 'lazy'
}

/** List the violations of the rules in sources, each as a sentence. `paths` are relative to `root`. */
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
    faults.push(`${file} is only imported by ${basename(only)}: join the two files.`)
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

/** Return the length of the longest chain of imports in a folder that begins with this file. */
function levelOf(file: string, imports: ReadonlyMap<string, readonly Import[]>): number {
  const below = (imports.get(file) ?? []).filter(
    ({ target, kind }) =>
      kind === 'value' && dirname(target) === dirname(file) && !ENTRY_FILES.includes(basename(file)),
  )
  return 1 + Math.max(0, ...below.map(({ target }) => levelOf(target, imports)))
}

const linesOf = (text = ''): number => text.split('\n').length - 1
