import type { AST } from '@eslint-community/regexpp'

/** A string in a chain, and how what lies before it is matched. */
export interface ChainLink {
  readonly text: string
  /** Whether as much as possible lies between it and the string before: `.*`, and not `.*?`. */
  readonly isGreedy: boolean
}

/**
 * Return the strings that a pattern wants in this order, with anything between them: `ERROR.*timeout.*?id=`; `undefined`
 * for any other. There are two at least.
 *
 * Whether a line has such a chain is found by looking for one string after the other, since the first place of each leaves
 * the most for the others: in linear time, which an engine that goes back takes for no chain of three. Where case is
 * ignored, the strings are of ASCII and in lower case.
 */
export function literalChain({ alternatives }: AST.Pattern, ignoreCase: boolean): readonly ChainLink[] | undefined {
  const elements = flatten(alternatives)
  if (elements === undefined) return undefined
  const links: ChainLink[] = []
  let text = ''
  let isGreedy = true
  for (const element of elements) {
    if (element.type === 'Character') {
      text += String.fromCodePoint(element.value)
      continue
    }
    if (element.type !== 'Quantifier' || !isGap(element) || text === '') return undefined
    links.push({ text, isGreedy })
    text = ''
    isGreedy = element.greedy
  }
  if (links.length === 0 || text === '') return undefined
  const chain = [...links, { text, isGreedy }]
  if (!ignoreCase) return chain
  return chain.every((link) => isAscii(link.text)) ? chain.map(inLowerCase) : undefined
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)
const inLowerCase = ({ text, isGreedy }: ChainLink): ChainLink => ({ text: text.toLowerCase(), isGreedy })

/** Take groups apart that have but one way; `undefined` where there are several. */
function flatten(alternatives: readonly AST.Alternative[]): readonly AST.Element[] | undefined {
  const [only, ...others] = alternatives
  if (only === undefined || others.length > 0) return undefined
  const elements: AST.Element[] = []
  for (const element of only.elements) {
    const isGroup = element.type === 'Group' || element.type === 'CapturingGroup'
    const inner = isGroup ? flatten(element.alternatives) : [element]
    if (inner === undefined) return undefined
    elements.push(...inner)
  }
  return elements
}

function isGap({ element, min, max }: AST.Quantifier): boolean {
  return element.type === 'CharacterSet' && element.kind === 'any' && min === 0 && max === Infinity
}
