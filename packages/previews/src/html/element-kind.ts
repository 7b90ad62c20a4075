/** What is known of an element by its name. */
export interface ElementKind {
  /** Less than {@link ELEMENT_KINDS}. */
  readonly id: number
  readonly name: string
  /** It has no content, and so no end tag (HTML Living Standard, "void elements", and obsolete ones that parse alike). */
  readonly isVoid: boolean
  /** Nobody sees its content as text of the page. */
  readonly isUnseen: boolean
  /** It stands within a line of text. Elements with a name of their own, such as `x-date`, may do both. */
  readonly isInline: boolean
  /** Text before and after it is apart from the text within. */
  readonly isBlock: boolean
  /** From 1 to 6; 0 where it is no heading. */
  readonly heading: number
  /** Its start ends an open element of these (HTML Living Standard, "optional tags"). */
  readonly ends: ReadonlySet<string> | undefined
  /** Ends within it do not reach beyond it. */
  readonly isScope: boolean
  /** A cell of data does not hold it: a table that has it in a cell lays out the page. */
  readonly laysOut: boolean
}

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const VOID = setOf('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr')
const UNSEEN = setOf(
  'applet audio button canvas datalist iframe math noembed noframes noscript object script select style svg template ' +
    'textarea video',
)
const INLINE = setOf(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter nobr output picture progress ' +
    'q rb rp rt rtc ruby s samp slot small span strike strong sub sup time tt u var',
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

/** How many kinds there are at most: elements of further names are alike. */
export const ELEMENT_KINDS = 1_024
/** Kinds by name; the names that pages use in other cases are known too, a number of them. */
const kinds = new Map<string, ElementKind>()
const known = new Map<string, ElementKind>()

/** Look up an element by its name, in any case. The same name gives the same object. */
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
