import { join } from 'node:path'
import ts from 'typescript'
import { createProgram } from '../packages/cli/src/cli.ts'
import { readSource, ROOT, sectionsAt, SPLIT_SOURCES, type WrittenPage } from './read-source.ts'

/** One page for each error code, and for each section of the benchmarks, with a list of these. */
export function splitPages(): WrittenPage[] {
  return SPLIT_SOURCES.flatMap(({ source, level, path }) => {
    const markdown = readSource(source)
    const pages = sectionsAt(markdown, level).map((section) => ({
      path: `${path}/${section.anchor}`,
      title: section.title.replaceAll('`', ''),
      markdown: `${section.markdown.replaceAll(new RegExp(`^#{${level - 1}}(?=#)`, 'gm'), '')}\n`,
    }))
    if (path === 'errors') return pages
    const [introduction] = markdown.split(/^## /m)
    const list = pages.map((page) => `- [${page.title}](/${page.path})`).join('\n')
    return [{ path, title: 'Benchmarks', markdown: `${introduction}${list}\n` }, ...pages]
  })
}

/** The help of every command, from the commands themselves. */
export function commandPage(): WrittenPage {
  type Command = ReturnType<typeof createProgram>
  const manualOf = (command: Command): string => {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).outputHelp()
    return help.replace(/^NAME[^]*(?=^SYNOPSIS)/m, '').replace(/^DESCRIPTION\n[^]*?(?=^[A-Z]+$)/m, '')
  }
  const sectionsOf = (command: Command, name: string): string[] => {
    const block = `\`\`\`text\n${manualOf(command).trim()}\n\`\`\``
    const own = `## ${name}\n\n${command.description()}\n\n${block}`
    return [own, ...command.commands.flatMap((inner) => sectionsOf(inner, `${name} ${inner.name()}`))]
  }
  const program = createProgram()
  const title = 'Commands'
  return {
    path: 'reference/commands',
    title,
    markdown: `# ${title}\n\n${sectionsOf(program, 'spillway').join('\n\n')}\n`,
  }
}

/** The events of an offloader, from their types. */
export function eventPage(): WrittenPage {
  const entry = join(ROOT, 'packages/core/dist/index.d.ts')
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, strict: true }
  const program = ts.createProgram([entry], options)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const exported = source && checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
  const alias = exported?.find(({ name }) => name === 'OffloadEvent')
  if (alias === undefined) throw new Error('Core exports no OffloadEvent. Build it first.')
  const union = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(alias)) as ts.UnionType
  const docOf = (symbol: ts.Symbol | undefined): string =>
    ts.displayPartsToString(symbol?.getDocumentationComment(checker)).replaceAll(/\s*\n\s*/g, ' ')
  const typeOf = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbol(symbol)
  const sections = union.types.map((event) => {
    const [fields, [name]] = [event.getProperties(), event.getProperties().filter((field) => field.name === 'type')]
    const rows = fields
      .filter((field) => field !== name)
      .map((field) => {
        const type = checker.typeToString(typeOf(field), undefined, ts.TypeFormatFlags.NoTruncation)
        return `| \`${field.name}\` | \`${type.replaceAll('|', '\\|')}\` | ${docOf(field)} |`
      })
    const table = rows.length === 0 ? [] : [['| field | type | meaning |', '| --- | --- | --- |', ...rows].join('\n')]
    const doc = docOf(name) || docOf(event.symbol)
    return [`## ${(typeOf(name!) as ts.StringLiteralType).value}`, doc, ...table].join('\n\n')
  })
  const about = 'Pass `onEvent` to a `ContextOffloader` to get them. `event.type` tells which one it is.'
  return { path: 'reference/events', title: 'Events', markdown: `# Events\n\n${about}\n\n${sections.join('\n\n')}\n` }
}
