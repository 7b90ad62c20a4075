import type { AST } from '@eslint-community/regexpp'
import { editSource, type Edit } from './edit-source.ts'

/** Look-ahead that sees farther is taken for one that does not match. */
const FARTHEST_LOOK = 1_000
/** Never matches. */
const NOTHING = '(?!)'

/**
 * Write an expression for the first part of a line: whatever it matches there, the expression matches in the whole line.
 *
 * What consumes characters is true in the line as well. What is true where nothing follows is made to wait for what does:
 * `$` never matches; `\b` and `\B` need a character behind them; a negative look-ahead needs one more than it can see.
 * Look-ahead that sees any number of characters, if it is negative or captures what is referred to, never matches.
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

/** Whether a character must be there where an element begins. */
function consumes(element: AST.Element | undefined): boolean {
  const isRepeated = element?.type === 'Quantifier'
  if (isRepeated && element.min === 0) return false
  const type = isRepeated ? element.element.type : element?.type
  return type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass'
}

/** How many characters ahead the branches can see at most, those inside look-around included. */
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
      // With the flag `u`, one character may be two units; the look ahead then counts characters, too.
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

/** How far look-behind sees ahead of where it ends; `undefined` where only characters behind decide. */
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

/** Whether look-ahead captures what a reference compares: what it captures may end where the part ends. */
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
