import { complementOf, includesCharacter, unionOf, type CharacterSet } from './character-set.ts'

const NON_ASCII: CharacterSet = [[0x80, 0x10ffff]]
/** The only two characters beyond ASCII that `i` and `u` together take for letters of ASCII: `ſ` and the sign of kelvin. */
const LONG_S_AND_KELVIN: CharacterSet = [
  [0x017f, 0x017f],
  [0x212a, 0x212a],
]
const S_AND_K: CharacterSet = [
  [0x4b, 0x4b],
  [0x53, 0x53],
  [0x6b, 0x6b],
  [0x73, 0x73],
]

/** Add to a set what differs from its ASCII letters by ASCII case: a part of what the flag `i` adds. */
function withAsciiCases(set: CharacterSet): CharacterSet {
  const lower = shifted(set, 0x41, 0x5a, 0x20)
  const upper = shifted(set, 0x61, 0x7a, -0x20)
  return unionOf(set, lower, upper)
}

/** Add to a set all that the flag `i` adds, and more: any character beyond ASCII stands for all of them. */
export function withAllCases(set: CharacterSet, unicode: boolean): CharacterSet {
  const ascii = withAsciiCases(set)
  const sets = [ascii]
  if (set.some(([, last]) => last >= 0x80)) sets.push(NON_ASCII, ...(unicode ? [S_AND_K] : []))
  if (unicode && S_AND_K.some(([character]) => includesCharacter(ascii, character))) sets.push(LONG_S_AND_KELVIN)
  return unionOf(...sets)
}

/** Return the characters that `[^…]` with these members matches, or more of them, with the flag `i`. */
export function complementWithCases(members: CharacterSet): CharacterSet {
  return complementOf(withAsciiCases(members))
}

/**
 * Return all UTF-16 units that the flag `i`, without `u`, takes for the same as a unit, in ascending order.
 *
 * As ECMAScript has it: units are the same where their upper case is, unless that is several units, or one of ASCII for
 * a unit beyond ASCII.
 */
export function caseVariants(unit: number): readonly number[] {
  if (unit < 0x80) {
    const isLetter = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
    return isLetter ? [unit & ~0x20, unit | 0x20] : [unit]
  }
  variants ??= variantsByCanonical()
  return variants.get(canonical(unit)) ?? [unit]
}

let variants: ReadonlyMap<number, readonly number[]> | undefined

function variantsByCanonical(): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>()
  for (let unit = 0x80; unit <= 0xffff; unit++) {
    const key = canonical(unit)
    if (key === unit && String.fromCharCode(unit).toLowerCase() === String.fromCharCode(unit)) continue
    const group = groups.get(key) ?? []
    group.push(unit)
    groups.set(key, group)
  }
  // A unit whose upper case is itself was passed over above where its lower case is, too, though others may lead to it.
  for (const [key, group] of groups) {
    if (!group.includes(key))
      groups.set(
        key,
        [...group, key].toSorted((a, b) => a - b),
      )
  }
  return groups
}

function canonical(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase()
  if (upper.length !== 1) return unit
  const code = upper.charCodeAt(0)
  return unit >= 0x80 && code < 0x80 ? unit : code
}

function shifted(set: CharacterSet, first: number, last: number, by: number): CharacterSet {
  return set
    .filter((range) => range[0] <= last && range[1] >= first)
    .map((range) => [Math.max(range[0], first) + by, Math.min(range[1], last) + by] as const)
}
