import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import { listTarball, readFromTarball } from './tarball-registry.ts'

const MARKS = /@(?:deprecated|experimental)\b/g

/**
 * Report the public API of a packed package: each name of each entry, with its declaration. Entries `/internal` are
 * left out. Of comments, only the tags `@deprecated` and `@experimental` are kept.
 */
export function reportApi(tarball: Uint8Array): string {
  const { exports = {} } = JSON.parse(readFromTarball(tarball, 'package.json')) as {
    readonly exports?: Readonly<Record<string, string | { readonly types: string }>>
  }
  const sources = new Map(
    listTarball(tarball)
      .filter((path) => path.endsWith('.d.ts'))
      .map((path) => [path, readFromTarball(tarball, path)]),
  )
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string' || entry.startsWith('./internal') ? [] : [[entry, posix.join(target.types)] as const],
  )
  const reports = entries.map(([entry, path]) => {
    const names = [...namesOf(path, sources)].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `${entry}\n\n${names.map(([, text]) => `${text}\n`).join('')}`
  })
  return reports.join('\n')
}

/** Return the declarations of the names that a module exports. */
function namesOf(path: string, sources: ReadonlyMap<string, string>): Map<string, string> {
  const source = sources.get(path) ?? ''
  const { program, comments } = parseSync(path, source)
  const names = new Map<string, string>()
  const locals = new Map<string, string>()
  for (const statement of program.body) {
    const before = comments.filter(({ end }) => end <= statement.start).at(-1)
    const isOwn = before !== undefined && source.slice(before.end, statement.start).trim() === ''
    const text = withoutComments(source.slice(isOwn ? before.start : statement.start, statement.end))
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    for (const name of declaration === null ? [] : declaredBy(declaration)) {
      locals.set(name, [locals.get(name), text].filter((one) => one !== undefined).join('\n'))
      if (declaration !== statement) names.set(name, locals.get(name) ?? '')
    }
    if (statement.type !== 'ExportNamedDeclaration') continue
    const from = statement.source?.value
    const target = from?.startsWith('.') ? posix.join(posix.dirname(path), from.replace(/\.ts$/, '.d.ts')) : undefined
    const found = target === undefined ? locals : namesOf(target, sources)
    for (const { local, exported } of statement.specifiers) {
      const [own, name] = [nameOf(local), nameOf(exported)]
      const renamed = own === name ? '' : `${own} as `
      const elsewhere = from === undefined || target !== undefined ? '' : ` from '${from}'`
      const known = elsewhere === '' ? found.get(own) : undefined
      names.set(name, known === undefined || renamed !== '' ? `export { ${renamed}${name} }${elsewhere}` : known)
      if (known !== undefined && renamed !== '') names.set(`${name} `, known)
    }
  }
  return names
}

type Named = { readonly type: string; readonly name?: string; readonly value?: string }

function nameOf(node: Named): string {
  return node.name ?? node.value ?? ''
}

/** Return the names that a statement declares. */
function declaredBy(node: object): string[] {
  const { id, declarations } = node as { readonly id?: Named | null; readonly declarations?: readonly { id: Named }[] }
  return [...(declarations ?? []).map((one) => nameOf(one.id)), ...(id == null ? [] : [nameOf(id)])]
}

/** Remove comments, private members, and empty lines, but not tags of names with limited support. */
function withoutComments(text: string): string {
  const kept = text.replaceAll(/\/\*[^]*?\*\//g, (comment) => (comment.match(MARKS) ?? []).join(' '))
  return kept.replaceAll(/^ +private [^\n]*\n|^\s*\n/gm, '').trim()
}
