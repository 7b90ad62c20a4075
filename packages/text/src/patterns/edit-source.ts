import type { AST } from '@eslint-community/regexpp'
import { caseVariants, SyntaxFailure, unionOf, type CharacterSet, type ExpressionFlags } from './pattern-tree.ts'

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Apply edits that do not overlap. Edits at the same position keep their order. */
function editSource(source: string, edits: readonly Edit[]): string {
  let edited = ''
  let at = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    edited += source.slice(at, start) + text
    at = end
  }
  return edited + source.slice(at)
}

interface PlainExpression {
  readonly source: string
  readonly ignoreCase: boolean
}

/** Replace `(?i:…)` and `(?-i:…)` by the flag `i` or by classes of both cases. Throws if that is inexact. */
export function expandModifiers(
  pattern: AST.Pattern,
  { ignoreCase, unicode }: { readonly ignoreCase: boolean; readonly unicode: boolean },
): PlainExpression {
  if (!MODIFIERS.test(pattern.raw)) return { source: pattern.raw, ignoreCase }
  const scan: Scan = { edits: [], leaves: [] }
  scanBranches(pattern.alternatives, ignoreCase, scan)
  const isIgnored = scan.leaves.some((leaf) => leaf.ignoreCase)
  const isMixed = isIgnored && scan.leaves.some((leaf) => !leaf.ignoreCase)
  const withoutGroups = scan.leaves.length === 0 ? ignoreCase : isIgnored
  if (!isMixed) return { source: editSource(pattern.raw, scan.edits), ignoreCase: withoutGroups }
  const ignored = scan.leaves.filter((leaf) => leaf.ignoreCase).map(({ node }) => node)
  if (ignored.reduce((units, node) => units + unitsOf(node), 0) > MOST_UNITS)
    throw new SyntaxFailure('Classes are too large in a part that ignores case', ignored[0]!.start)
  const expanded = ignored.flatMap((node) => expandLeaf(node, unicode))
  return { source: editSource(pattern.raw, [...scan.edits, ...expanded]), ignoreCase: false }
}

const MODIFIERS = /\(\?-?i/
/** Finding the cases of more units takes too long. */
const MOST_UNITS = 0x10000
type Leaf = AST.Character | AST.CharacterClass | AST.Backreference | AST.CharacterSet

interface Scan {
  readonly edits: Edit[]
  readonly leaves: { readonly node: Leaf; readonly ignoreCase: boolean }[]
}

function scanBranches(branches: readonly AST.Alternative[], ignoreCase: boolean, scan: Scan): void {
  for (const { elements } of branches) for (const element of elements) scanElement(element, ignoreCase, scan)
}

function scanElement(node: AST.Element, ignoreCase: boolean, scan: Scan): void {
  if (node.type === 'Quantifier') scanElement(node.element, ignoreCase, scan)
  else if (node.type === 'Group') {
    const { modifiers } = node
    if (modifiers) scan.edits.push({ start: modifiers.start, end: modifiers.end, text: '' })
    const isOff = modifiers?.remove?.ignoreCase ?? false
    scanBranches(node.alternatives, !isOff && (modifiers?.add.ignoreCase || ignoreCase), scan)
  } else if ('alternatives' in node) scanBranches(node.alternatives, ignoreCase, scan)
  else if (node.type !== 'Assertion' && hasCase(node)) scan.leaves.push({ node: node as Leaf, ignoreCase })
}

function hasCase(node: AST.Element): boolean {
  if (node.type === 'Character') return hasVariants(node.value)
  if (node.type === 'CharacterSet') return node.kind === 'property'
  if (node.type !== 'CharacterClass') return node.type === 'Backreference'
  return node.elements.some((element) => {
    if (element.type === 'Character') return hasVariants(element.value)
    if (element.type === 'CharacterClassRange') return rangeHasCase(element.min.value, element.max.value)
    return element.type === 'CharacterSet' && element.kind === 'property'
  })
}

function rangeHasCase(first: number, last: number): boolean {
  return last - first > 0xff || addedCases(first, last).length > 0
}

function hasVariants(character: number): boolean {
  return character > 0xffff || caseVariants(character).length > 1
}

function unitsOf(node: Leaf): number {
  if (node.type !== 'CharacterClass') return 1
  return node.elements.reduce((units, element) => {
    const size = element.type === 'CharacterClassRange' ? element.max.value - element.min.value : 0
    return units + size + 1
  }, 0)
}

function expandLeaf(node: Leaf, unicode: boolean): readonly Edit[] {
  if (unicode) throw new SyntaxFailure('`(?i:…)` beside `\\p{…}` or emoji in brackets is not supported', node.start)
  if (node.type === 'Backreference')
    throw new SyntaxFailure('References in a part that ignores case are not supported', node.start)
  if (node.type === 'Character') {
    const members = rangesSource(caseVariants(node.value).map((unit) => [unit, unit]))
    return [{ start: node.start, end: node.end, text: `[${members}]` }]
  }
  if (node.type !== 'CharacterClass') return []
  const added = node.elements.flatMap((element) => {
    if (element.type === 'Character') return [addedCases(element.value, element.value)]
    return element.type === 'CharacterClassRange' ? [addedCases(element.min.value, element.max.value)] : []
  })
  const start = node.start + (node.negate ? 2 : 1)
  return [{ start, end: start, text: rangesSource(unionOf(...added)) }]
}

function addedCases(first: number, last: number): CharacterSet {
  const added: CharacterSet[] = []
  for (let unit = first; unit <= Math.min(last, 0xffff); unit++) {
    for (const variant of caseVariants(unit)) if (variant < first || variant > last) added.push([[variant, variant]])
  }
  return unionOf(...added)
}

/** Format ranges as class members. An open range would include the next member. */
function rangesSource(ranges: CharacterSet): string {
  return ranges.map(([first, last]) => `${unitSource(first)}-${unitSource(last)}`).join('')
}

function unitSource(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** `\s` without LF, as members of a class. */
const SPACES_WITHOUT_LINE_FEED = '\\t\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
type CharacterLeaf = AST.Character | AST.CharacterSet | AST.CharacterClass

/**
 * Rewrite an expression so that it matches no LF, which makes it searchable in many lines with the flag `m`. A match
 * from any position is the same as in the line alone.
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

function mayMatchLineFeed(leaf: CharacterLeaf): boolean {
  if (leaf.type === 'Character') return leaf.value === 0x0a
  if (leaf.type === 'CharacterClass' || leaf.kind === 'any' || leaf.kind === 'property') return true
  return (leaf.kind === 'space') !== leaf.negate
}

/** Return the fast equivalent without LF that is correct for all flags, if there is one. */
function narrowed(leaf: CharacterLeaf, flags: ExpressionFlags): string {
  if (leaf.type === 'Character') return '[]'
  if (leaf.type === 'CharacterSet') {
    if (leaf.kind === 'any') return '[^\\n]'
    return leaf.kind === 'property' || hasOddWords(flags) ? leaf.raw : `[^${oppositeOf(leaf.raw)}\\n]`
  }
  // A range, so that a following hyphen stays literal.
  if (leaf.negate) return `[^\\n-\\n${leaf.raw.slice(2)}`
  if (isEverything(leaf)) return '[^\\n]'
  return editSource(
    leaf.raw,
    leaf.elements
      .filter((member) => member.raw === '\\s')
      .map(({ start, end }) => ({ start: start - leaf.start, end: end - leaf.start, text: SPACES_WITHOUT_LINE_FEED })),
  )
}

function oppositeOf(escape: string): string {
  const lower = escape.toLowerCase()
  return escape === lower ? escape.toUpperCase() : lower
}

/** Engines differ on word characters if both flags are set. */
function hasOddWords({ ignoreCase, unicode }: ExpressionFlags): boolean {
  return ignoreCase && unicode
}

function isEverything(leaf: AST.CharacterClass): boolean {
  const sets = leaf.elements.map(({ raw }) => raw)
  return ['s', 'd', 'w'].some((set) => sets.includes(`\\${set}`) && sets.includes(`\\${set.toUpperCase()}`))
}

function matchesLineFeed(source: string, { ignoreCase, unicode }: ExpressionFlags): boolean {
  return new RegExp(source, `s${ignoreCase ? 'i' : ''}${unicode ? 'u' : ''}`).test('\n')
}

/** Longer look-ahead counts as not matching. */
const FARTHEST_LOOK = 1_000
const NOTHING = '(?!)'

/**
 * Rewrite an expression for the first part of a line: each match in that part is a match in the whole line too. `$`
 * never matches; `\b` and `\B` need a character after them; a negative look-ahead needs one more than it can see.
 * Unlimited look-ahead never matches if it is negative, or if a reference uses its captures.
 */
export function partSource(pattern: AST.Pattern): string {
  if (capturesAhead(pattern.alternatives)) return NOTHING
  const edits: Edit[] = []
  for (const branch of pattern.alternatives) editBranch(branch, edits)
  return editSource(pattern.raw, edits)
}

function editBranch({ elements }: AST.Alternative, edits: Edit[]): void {
  for (const [index, element] of elements.entries()) {
    const atom = element.type === 'Quantifier' ? element.element : element
    if (atom.type === 'Assertion') editAssertion(atom, consumes(elements[index + 1]), edits)
    else if ('alternatives' in atom) for (const branch of atom.alternatives) editBranch(branch, edits)
  }
}

function editAssertion(node: AST.Assertion, isFollowed: boolean, edits: Edit[]): void {
  const { start, end, raw } = node
  if (!('alternatives' in node)) {
    if (node.kind === 'end') edits.push({ start, end, text: NOTHING })
    if (node.kind === 'word' && !isFollowed) edits.push({ start, end, text: `${raw}(?=[^])` })
  } else if (node.negate) {
    const sight = node.kind === 'lookahead' ? sightOf(node.alternatives) : sightAhead(node.alternatives)
    if (sight === undefined) return
    const text = sight > FARTHEST_LOOK ? NOTHING : `(?:(?=[^]{${sight + 1}})${raw})`
    edits.push({ start, end, text })
  } else for (const branch of node.alternatives) editBranch(branch, edits)
}

function consumes(element: AST.Element | undefined): boolean {
  const isRepeated = element?.type === 'Quantifier'
  if (isRepeated && element.min === 0) return false
  const type = isRepeated ? element.element.type : element?.type
  return type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass'
}

/** Return the maximum number of characters ahead that the branches can see, including look-around. */
function sightOf(branches: readonly AST.Alternative[]): number {
  return Math.max(
    ...branches.map(({ elements }) => elements.reduce((sight, element) => sight + sightOfElement(element), 0)),
  )
}

function sightOfElement(node: AST.Element): number {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      // With the flag `u`, a character may be two units, but look-ahead counts characters.
      return 1
    case 'Quantifier': {
      const sight = sightOfElement(node.element)
      return sight === 0 ? 0 : sight * node.max
    }
    case 'Group':
    case 'CapturingGroup':
      return sightOf(node.alternatives)
    case 'Assertion':
      return 'alternatives' in node ? sightOf(node.alternatives) : 0
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return Infinity
  }
}

/** Return how far look-behind sees ahead of its end. Returns `undefined` if only earlier characters decide. */
function sightAhead(branches: readonly AST.Alternative[]): number | undefined {
  const assertions = branches.flatMap(({ elements }) => elements.flatMap(assertionsOf))
  const ahead = assertions.filter(({ kind }) => kind !== 'start')
  if (ahead.length === 0) return undefined
  return ahead.reduce((sight, node) => sight + ('alternatives' in node ? sightOf(node.alternatives) : 0), 0)
}

function assertionsOf(node: AST.Element): readonly AST.Assertion[] {
  const atom = node.type === 'Quantifier' ? node.element : node
  const nested =
    'alternatives' in atom ? atom.alternatives.flatMap(({ elements }) => elements.flatMap(assertionsOf)) : []
  return atom.type === 'Assertion' ? [atom, ...nested] : nested
}

/** Whether look-ahead captures text for a reference: the capture may be cut at the end of the part. */
function capturesAhead(branches: readonly AST.Alternative[], isInside = false): boolean {
  return branches.some(({ elements }) =>
    elements.some((element) => {
      const atom = element.type === 'Quantifier' ? element.element : element
      if (!('alternatives' in atom)) return false
      if (isInside && atom.type === 'CapturingGroup' && atom.references.length > 0) return true
      return capturesAhead(atom.alternatives, isInside || atom.type === 'Assertion')
    }),
  )
}
