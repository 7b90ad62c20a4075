import type { AST } from '@eslint-community/regexpp'
import { caseVariants } from './case-variants.ts'
import { unionOf, type CharacterSet } from './character-set.ts'
import { editSource, type Edit } from './edit-source.ts'
import { SyntaxFailure } from './syntax-failure.ts'

/** An expression without `(?i:…)` and `(?-i:…)`, and whether it has the flag `i`. */
export interface PlainExpression {
  readonly source: string
  readonly ignoreCase: boolean
}

/**
 * Write out the groups that change whether case matters, which not every engine of today knows.
 *
 * Where all letters are to be read in the same way, that is the flag `i` or none. Otherwise what ignores case becomes
 * classes of both cases. Throws a {@link SyntaxFailure} where that is not exact.
 */
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
/** To find the cases of more units takes too long. */
const MOST_UNITS = 0x10000

/** What case may matter for. */
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

/** Return the units beyond a range that differ from one in it only by case. */
function addedCases(first: number, last: number): CharacterSet {
  const added: CharacterSet[] = []
  for (let unit = first; unit <= Math.min(last, 0xffff); unit++) {
    for (const variant of caseVariants(unit)) if (variant < first || variant > last) added.push([[variant, variant]])
  }
  return unionOf(...added)
}

/** Write ranges as members of a class, whatever members follow: an open range would take in what comes next. */
function rangesSource(ranges: CharacterSet): string {
  return ranges.map(([first, last]) => `${unitSource(first)}-${unitSource(last)}`).join('')
}

function unitSource(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
