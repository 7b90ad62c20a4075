import { CLOSER, CODE, type CodeLines } from './code-lines.ts'
import { DECLARATION, definitionAt, definitionMatcher, type Definition } from './definition-at.ts'
import type { DefinitionRules } from './definition-rules.ts'
import type { OutlineSymbol } from './outline.ts'
import type { SourceLines } from './source-lines.ts'
import { unitsOf } from './word-hash.ts'

/** Kinds of definitions that hold others without being one themselves, where they wrap a file. */
const WRAPPERS: ReadonlySet<string> = new Set(['module', 'implementation'])
/** Longest part of a line that a signature has. */
const LONGEST = 240
/** Most definitions that stand in each other. */
const MOST_OPEN = 64

interface Open {
  readonly definition: Definition
  readonly index: number
  readonly indent: number
  readonly depth: number
  last: number
}

/**
 * Find definitions by how their lines begin and by indentation, without a grammar.
 *
 * One pass over the lines. A definition lasts until the next line that is indented no deeper. What this misses are names
 * that a macro defines, and definitions that do not begin their line.
 */
export function patternOutline(code: CodeLines, rules: DefinitionRules): OutlineSymbol[] {
  const { source, indents, kinds, firsts } = code
  const matcher = definitionMatcher(rules)
  const found: { open: Open; end: number }[] = []
  const stack: Open[] = []
  const close = (indent: number): void => {
    while (stack.length > 0 && stack.at(-1)!.indent >= indent) {
      const open = stack.pop()!
      found.push({ open, end: open.last })
      const outer = stack.at(-1)
      if (outer !== undefined) outer.last = Math.max(outer.last, open.last)
    }
  }
  let previous = -1
  for (let index = source.from; index < source.to; index++) {
    const kind = kinds[index]!
    if (kind !== CODE && kind !== CLOSER) continue
    const indent = indents[index]!
    if (kind === CLOSER) {
      close(indent + 1)
      const top = stack.at(-1)
      if (top !== undefined) top.last = index
      continue
    }
    const annotates = ANNOTATES.has(firsts[index]!)
    if (!annotates) {
      if (!CONTINUES.has(firsts[index]!)) close(indent)
      const around = stack.at(-1)
      if (around !== undefined) around.last = index
    }
    const inside = annotates ? stack.findLast((open) => open.indent < indent) : stack.at(-1)
    const definition = definitionAt(code, index, previous, inside?.definition, matcher)
    previous = index
    if (definition === undefined) continue
    close(indent)
    if (stack.length >= MOST_OPEN) continue
    stack.push({ definition, index, indent, depth: stack.length, last: index })
  }
  close(-1)
  return placed(found, source)
}

/** Brackets, and what continues a line, do not end what they stand in. */
const CONTINUES = unitsOf('{})]*&|')
/** What is said of a definition belongs to the next one. */
const ANNOTATES = unitsOf('@#')

/** Put definitions in the order of their lines, and lift what stands in a module that wraps the file. */
function placed(found: readonly { open: Open; end: number }[], source: SourceLines): OutlineSymbol[] {
  const isDeclared = ({ open }: { open: Open }): boolean => open.definition.kind === DECLARATION
  const declared = found.filter(isDeclared).length
  // A header declares what is defined elsewhere; in other files declarations only repeat what comes later.
  const kept = declared * 2 > found.length ? found : found.filter((each) => !isDeclared(each))
  const ordered = kept.toSorted((one, other) => one.open.index - other.open.index)
  const wrappers = ordered.filter(
    ({ open, end }) => WRAPPERS.has(open.definition.kind) && (end - open.index) * 2 > source.count,
  )
  return ordered.map(({ open, end }) => {
    const lifted = wrappers.filter((wrapper) => wrapper.open.index < open.index && wrapper.end >= open.index).length
    return {
      name: open.definition.name,
      kind: open.definition.kind,
      line: open.index + 1,
      endLine: end + 1,
      depth: Math.max(0, open.depth - lifted),
      signature: signature(source, open.index),
    }
  })
}

/** The beginning of a line without its body, with runs of blanks folded. */
function signature({ text, begins, ends }: SourceLines, index: number): string {
  const begin = begins[index]!
  const line = text.slice(begin, Math.min(ends[index]!, begin + LONGEST)).trim()
  const folded = line.includes('  ') || line.includes('\t') ? line.replace(/\s+/g, ' ') : line
  return folded.endsWith('{') ? folded.slice(0, -1).trimEnd() : folded
}
