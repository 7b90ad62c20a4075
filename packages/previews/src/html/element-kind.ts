export interface ElementKind {
  /** Id of the kind, less than {@link ELEMENT_KINDS}. */
  readonly id: number
  readonly name: string
  /** Whether the element never has content ("void elements" of the HTML Living Standard, and obsolete elements). */
  readonly isVoid: boolean
  /** Whether the element's content is not visible text. */
  readonly isUnseen: boolean
  /** Whether the element is part of a line of text. A custom element such as `x-date` may be both inline and a block. */
  readonly isInline: boolean
  /** Whether the element separates its text from the text around it. */
  readonly isBlock: boolean
  /** Level of a heading, from 1 to 6. 0 for other elements. */
  readonly heading: number
  /** Names of open elements that end before this element (HTML Living Standard, "optional tags"). */
  readonly ends: ReadonlySet<string> | undefined
  /** Whether end tags inside the element cannot end elements outside of it. */
  readonly isScope: boolean
  /** Whether a table with this element in a cell is a layout table. */
  readonly laysOut: boolean
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const VOID = setOf('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr')
const UNSEEN = setOf(
  'applet audio button canvas datalist iframe math noembed noframes noscript object script select style svg template ' +
    'textarea video',
)
/** Inline elements, and parts of a table, which without each other have no header or no rows. */
const INLINE = setOf(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter nobr output picture progress ' +
    'q rb rp rt rtc ruby s samp slot small span strike strong sub sup tbody tfoot thead time tt u var',
)
const SCOPES = setOf('table ul ol dl menu body html')
const LAYING_OUT = setOf(
  'h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article main header footer nav form center',
)
const ENDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['li', setOf('li')],
  ['dt', setOf('dt dd')],
  ['dd', setOf('dt dd')],
  ['tr', setOf('tr td th')],
  ['td', setOf('td th')],
  ['th', setOf('td th')],
])

/** Largest number of kinds. Further element names share one kind. */
export const ELEMENT_KINDS = 1_024
/** Kinds by name. `known` also caches names with uppercase letters. */
const kinds = new Map<string, ElementKind>()
const known = new Map<string, ElementKind>()

/** Return the kind of a tag name. The case of its letters is ignored. Equal names give the same object. */
export function elementKind(tagName: string): ElementKind {
  const found = known.get(tagName)
  if (found !== undefined) return found
  const name = tagName.toLowerCase()
  let kind = kinds.get(name)
  if (kind === undefined) {
    if (kinds.size >= ELEMENT_KINDS - 1) return UNKNOWN
    kind = kindOf(name, kinds.size + 1)
    kinds.set(name, kind)
  }
  if (known.size < 2 * ELEMENT_KINDS) known.set(tagName, kind)
  return kind
}

function kindOf(name: string, id: number): ElementKind {
  const isVoid = VOID.has(name)
  const isInline = INLINE.has(name)
  return {
    id,
    name,
    isVoid,
    isUnseen: UNSEEN.has(name),
    isInline,
    isBlock: !isInline && !isVoid && !name.includes('-'),
    heading: /^h[1-6]$/.test(name) ? Number(name[1]) : 0,
    ends: ENDS.get(name),
    isScope: SCOPES.has(name),
    laysOut: LAYING_OUT.has(name),
  }
}

const UNKNOWN = kindOf('?', 0)
