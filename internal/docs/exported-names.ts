import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type Comment, type Statement } from 'oxc-parser'
import { lineAt } from './extract-fences.ts'

/** An exported name of a package, with its declaration. */
export interface ExportedName {
  readonly name: string
  /** The location, for example `packages/core/src/storage/storage.ts:12`. */
  readonly location: string
  readonly kind: 'function' | 'class' | 'value' | 'type'
  /** The TSDoc comment of the declaration, without its delimiters. */
  readonly documentation: string | undefined
}

/** Internal entries for other packages. Users see their names only if a public entry re-exports the names. */
const INTERNAL = /^(?:\.|@spillway\/\w+)\/internal(?:\/|$)/

/** A public entry point of a package. */
export interface Entry {
  /** The name, for example `@spillway/core/adapter`. */
  readonly name: string
  readonly isMain: boolean
  readonly names: readonly ExportedName[]
}

/** List the public entry points of one package, or of every published package. */
export function listEntries(root: string, of?: string): Entry[] {
  const manifests = globSync(['packages/*/package.json', 'packages/{storage,adapters}/*/package.json'], { cwd: root })
  const wanted = manifests.filter((path) => of === undefined || dirname(path).replaceAll('\\', '/') === of)
  return wanted.toSorted().flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      name: string
      private?: boolean
      exports?: Record<string, string>
    }
    if (manifest.private === true) return []
    const entries = Object.entries(manifest.exports ?? {}).filter(
      ([name, file]) => file.endsWith('.ts') && !INTERNAL.test(name),
    )
    return entries.map(([name, file]) => ({
      name: join(manifest.name, name).replaceAll('\\', '/'),
      isMain: name === '.',
      names: readExports(root, join(dirname(path), file).replaceAll('\\', '/')),
    }))
  })
}

/** Exported names by file. Without them, a file would be parsed again for each name that another file re-exports. */
const known = new Map<string, ExportedName[]>()

/** List the exported names of a file, including names that it re-exports from other files of the package. */
export function readExports(root: string, path: string): ExportedName[] {
  const file = join(root, path)
  const names = known.get(file) ?? parseExports(root, path)
  known.set(file, names)
  return names
}

function parseExports(root: string, path: string): ExportedName[] {
  const source = readFileSync(join(root, path), 'utf8')
  const { program, comments } = parseSync(path, source)
  return program.body.flatMap((statement): ExportedName[] => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    if (statement.declaration !== null) return declared(path, source, comments, statement, statement.declaration)
    return statement.specifiers.flatMap(({ local, exported }) => {
      const [inner, outer] = [nameOf(local), nameOf(exported)]
      const target = statement.source?.value ?? importedFrom(program.body, inner)
      // Exported names of another package are checked in that package.
      if (target?.startsWith('@spillway/') === true && !INTERNAL.test(target)) return []
      const file = target === undefined ? undefined : fileOf(root, path, target)
      const found =
        file !== undefined
          ? readExports(root, file).find(({ name }) => name === inner)
          : program.body.flatMap((one) => declared(path, source, comments, one, one)).find(({ name }) => name === inner)
      const location = `${path}:${lineAt(source, statement.start)}`
      return [{ ...(found ?? { location, kind: 'type', documentation: undefined }), name: outer }]
    })
  })
}

/** Find the file of a module of the project; `undefined` for any other module. */
export function fileOf(root: string, from: string, target: string): string | undefined {
  if (target.startsWith('.')) return join(dirname(from), target).replaceAll('\\', '/')
  const [, name = '', entry = ''] = /^@spillway\/(\w+)(\/.*)?$/.exec(target) ?? []
  if (name === '') return undefined
  const folder = `packages/${name}`
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>
  }
  const file = exports[`.${entry}`]
  return file === undefined ? undefined : join(folder, file).replaceAll('\\', '/')
}

function declared(
  path: string,
  source: string,
  comments: readonly Comment[],
  statement: { readonly start: number },
  declaration: Statement,
): ExportedName[] {
  const location = `${path}:${lineAt(source, statement.start)}`
  const documentation = commentBefore(source, comments, statement.start)
  const named = (name: string, kind: ExportedName['kind']): ExportedName => ({ name, location, kind, documentation })
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return [named(declaration.id?.name ?? 'default', 'function')]
    case 'ClassDeclaration':
      return [named(declaration.id?.name ?? 'default', 'class')]
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [named(id.name, 'value')] : []))
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
      return [named(declaration.id.name, 'type')]
    default:
      return []
  }
}

export function commentBefore(source: string, comments: readonly Comment[], offset: number): string | undefined {
  const comment = comments.findLast(({ end }) => end <= offset)
  if (comment?.type !== 'Block' || !comment.value.startsWith('*')) return undefined
  return source.slice(comment.end, offset).trim() === '' ? comment.value.slice(1) : undefined
}

export function importedFrom(body: readonly Statement[], name: string): string | undefined {
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration') continue
    if (statement.specifiers.some(({ local }) => local.name === name)) return statement.source.value
  }
  return undefined
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value)
}
