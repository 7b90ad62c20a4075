import type { AST } from '@eslint-community/regexpp'
import { editSource, type Edit } from './edit-source.ts'
import type { ExpressionFlags } from './parse-expression.ts'

/** What `\s` matches, without LF, as members of a class. */
const SPACES_WITHOUT_LINE_FEED = '\\t\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

type CharacterLeaf = AST.Character | AST.CharacterSet | AST.CharacterClass

/**
 * Write an expression so that nothing in it matches an LF, which with the flag `m` makes it one for many lines.
 *
 * Every atom consumes characters of one line, look-around looks at characters of one line, and at an LF the edges of a line
 * and `\b` are what they are at the end of a text: so a match from any place is what it is in the line alone.
 */
export function textSource(pattern: AST.Pattern, flags: ExpressionFlags): string {
  const edits: Edit[] = []
  visitBranches(pattern.alternatives, (leaf) => {
    const text = withoutLineFeed(leaf, flags)
    if (text !== leaf.raw) edits.push({ start: leaf.start, end: leaf.end, text })
  })
  return editSource(pattern.raw, edits)
}

function visitBranches(branches: readonly AST.Alternative[], visit: (leaf: CharacterLeaf) => void): void {
  for (const { elements } of branches) {
    for (const element of elements) {
      const atom = element.type === 'Quantifier' ? element.element : element
      if ('alternatives' in atom) visitBranches(atom.alternatives, visit)
      else if (atom.type === 'Character' || atom.type === 'CharacterSet') visit(atom)
      else if (atom.type === 'CharacterClass') visit(atom)
    }
  }
}

function withoutLineFeed(leaf: CharacterLeaf, flags: ExpressionFlags): string {
  if (!mayMatchLineFeed(leaf) || !matchesLineFeed(leaf.raw, flags)) return leaf.raw
  const source = narrowed(leaf, flags)
  return source === leaf.raw || matchesLineFeed(source, flags) ? `(?:(?!\\n)${leaf.raw})` : source
}

/** Spare the simple ones a trial. */
function mayMatchLineFeed(leaf: CharacterLeaf): boolean {
  if (leaf.type === 'Character') return leaf.value === 0x0a
  if (leaf.type === 'CharacterClass' || leaf.kind === 'any' || leaf.kind === 'property') return true
  return (leaf.kind === 'space') !== leaf.negate
}

/** Without LF in a way that engines run fast, if there is one that means the same with all flags. */
function narrowed(leaf: CharacterLeaf, flags: ExpressionFlags): string {
  if (leaf.type === 'Character') return '[]'
  if (leaf.type === 'CharacterSet') {
    if (leaf.kind === 'any') return '[^\\n]'
    return leaf.kind === 'property' || hasOddWords(flags) ? leaf.raw : `[^${oppositeOf(leaf.raw)}\\n]`
  }
  // A range, so that a hyphen behind it stands for itself as before.
  if (leaf.negate) return `[^\\n-\\n${leaf.raw.slice(2)}`
  if (isEverything(leaf)) return '[^\\n]'
  return editSource(
    leaf.raw,
    leaf.elements
      .filter((member) => member.raw === '\\s')
      .map(({ start, end }) => ({ start: start - leaf.start, end: end - leaf.start, text: SPACES_WITHOUT_LINE_FEED })),
  )
}

/** `\D` for `\d`, and the other way round. */
function oppositeOf(escape: string): string {
  const lower = escape.toLowerCase()
  return escape === lower ? escape.toUpperCase() : lower
}

/** With both flags, engines have differed on what is a word character. */
function hasOddWords({ ignoreCase, unicode }: ExpressionFlags): boolean {
  return ignoreCase && unicode
}

/** Whether a class has a set and all that is not in it, as `[\s\S]`. */
function isEverything(leaf: AST.CharacterClass): boolean {
  const sets = leaf.elements.map(({ raw }) => raw)
  return ['s', 'd', 'w'].some((set) => sets.includes(`\\${set}`) && sets.includes(`\\${set.toUpperCase()}`))
}

function matchesLineFeed(source: string, { ignoreCase, unicode }: ExpressionFlags): boolean {
  return new RegExp(source, `s${ignoreCase ? 'i' : ''}${unicode ? 'u' : ''}`).test('\n')
}
