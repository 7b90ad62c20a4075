import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type Comment } from 'oxc-parser'
import { ROOT } from '../packages/public-packages.ts'
import { commentBefore, fileOf, importedFrom } from './exported-names.ts'

/** An option of an interface, as in a row of a table. */
interface Option {
  readonly name: string
  readonly isRequired: boolean
  readonly documentation: string
}

const TABLE = /(<!-- options (\S+) (\w+) -->\n)[^]*?(?=<!-- end of options -->)/g

/** List the READMEs that have a generated table of options. */
export function listOptionReadmes(): string[] {
  const readmes = globSync('packages/**/README.md', { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })
  return readmes.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes('<!-- options '))
}

/** Return a README with current tables: its marks `<!-- options FILE INTERFACE -->` name the interfaces. */
export function withOptionTables(path: string): string {
  const readme = readFileSync(join(ROOT, path), 'utf8')
  return readme.replaceAll(TABLE, (_table, mark: string, file: string, name: string) => {
    const options = optionsOf(join(dirname(path), file).replaceAll('\\', '/'), name)
    if (options.length === 0) throw new Error(`${path}: ${file} has no interface ${name} with options.`)
    return `${mark}\n| option | default | |\n| --- | --- | --- |\n${options.map(writeRow).join('\n')}\n\n`
  })
}

/** Read the options of an interface, including inherited ones. An option of the interface itself takes precedence. */
function optionsOf(path: string, name: string): Option[] {
  const source = readFileSync(join(ROOT, path), 'utf8')
  const { program, comments } = parseSync(path, source)
  const declaration = program.body
    .map((one) => (one.type === 'ExportNamedDeclaration' ? one.declaration : one))
    .find((one) => one?.type === 'TSInterfaceDeclaration' && one.id.name === name)
  if (declaration?.type !== 'TSInterfaceDeclaration') {
    const passedOn = program.body.find(
      (one) =>
        one.type === 'ExportNamedDeclaration' &&
        one.source !== null &&
        one.specifiers.some(({ exported }) => 'name' in exported && exported.name === name),
    )
    const module =
      passedOn?.type === 'ExportNamedDeclaration' ? passedOn.source?.value : importedFrom(program.body, name)
    const file = module === undefined ? undefined : fileOf(ROOT, path, module)
    return file === undefined ? [] : optionsOf(file, name)
  }
  const own = declaration.body.body.flatMap((member): Option[] => {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') return []
    const documentation = textOf(source, comments, member.start)
    return [{ name: member.key.name, isRequired: !member.optional, documentation }]
  })
  const inherited = declaration.extends.flatMap((base) => inheritedOptions(path, source.slice(base.start, base.end)))
  return [...own, ...inherited.filter((one) => own.every((option) => option.name !== one.name))]
}

/** Read the options that `Base`, `Omit<Base, 'a' | 'b'>`, or `Pick<Base, 'a'>` has. */
function inheritedOptions(path: string, base: string): Option[] {
  const [, utility, inner = base] = /^(Omit|Pick)<\s*(\w+)/.exec(base) ?? []
  const options = optionsOf(path, /^\w+/.exec(inner)?.[0] ?? inner)
  const named = new Set([...base.matchAll(/'(\w+)'/g)].map(([, name = '']) => name))
  return utility === undefined ? options : options.filter(({ name }) => named.has(name) === (utility === 'Pick'))
}

function textOf(source: string, comments: readonly Comment[], offset: number): string {
  const comment = commentBefore(source, comments, offset) ?? ''
  return comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\{@link (\w+)[^}]*\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Write a row. A short default has its own column, and a long default stays in the text. */
function writeRow({ name, isRequired, documentation }: Option): string {
  const short = / ?Defaults to ((?:`[^`]+`|[^.;`]){1,45})\.(?= |$)/.exec(documentation)
  const text = short === null ? documentation : documentation.replace(short[0], '').trim()
  const [, first] = /Defaults to (`[^`]+`|[\d,]+)[,;]/.exec(documentation) ?? []
  const absent = /`null`(?::| disables)/.test(documentation)
    ? '`null`'
    : documentation.includes('Defaults to')
      ? ''
      : 'none'
  const value = short?.[1] ?? first ?? (isRequired ? 'required' : absent)
  return `| \`${name}\` | ${value.replaceAll('|', '\\|')} | ${text.replaceAll('|', '\\|')} |`
}
