export interface ElementKind {
  /** Less than {@link ELEMENT_KINDS}. */
  readonly id: number
  readonly name: string
  /** Has no content and no end tag (HTML Living Standard, "void elements", and obsolete ones). */
  readonly isVoid: boolean
  /** Its content is not visible text. */
  readonly isUnseen: boolean
  /** Is part of a line of text. Custom elements, for example `x-date`, may be both. */
  readonly isInline: boolean
  /** Separates its text from the text around it. */
  readonly isBlock: boolean
  /** From 1 to 6; 0 for other elements. */
  readonly heading: number
  /** Open elements that its start ends (HTML Living Standard, "optional tags"). */
  readonly ends: ReadonlySet<string> | undefined
  /** End tags within it do not reach beyond it. */
  readonly isScope: boolean
  /** Makes a table that contains it in a cell a layout table. */
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

/** Further element names share one kind. */
export const ELEMENT_KINDS = 1_024
/** Also caches a limited number of names in other cases. */
const kinds = new Map<string, ElementKind>()
const known = new Map<string, ElementKind>()

/** Ignores case. The same name gives the same object. */
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
