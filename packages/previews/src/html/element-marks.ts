import type { ElementKind } from './element-kind.ts'

/** Main content: `main`, or an element with this role. */
export const MARK_MAIN = 1
/** An article: content that is complete by itself. */
export const MARK_ARTICLE = 2
/** Navigation, footer, sidebar, dialog, or menu. */
export const MARK_ASIDE = 4
/** An aside according to its class or id. */
export const MARK_NAMED_ASIDE = 8
/** Hidden content, which scripts may show later. */
export const MARK_HIDDEN = 16

const marksOf = (asides: string): ReadonlyMap<string, number> =>
  new Map([
    ['main', MARK_MAIN],
    ['article', MARK_ARTICLE],
    ...asides.split(' ').map((name) => [name, MARK_ASIDE] as const),
  ])

const NAMES = marksOf('nav footer aside dialog menu')
/** Landmark and widget roles (WAI-ARIA 1.2). */
const ROLES = marksOf('navigation contentinfo complementary search dialog alertdialog menu menubar toolbar tooltip')

const READ: ReadonlySet<string> = new Set(['aria-hidden', 'class', 'hidden', 'id', 'itemprop', 'role', 'style'])
/** Matches an attribute with a quoted value, an unquoted value, or no value. */
const ATTRIBUTE = /([^\s=/"'<>]{1,64})(?:\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g
/** Longest text of an element's attributes that is read, and longest value, in UTF-16 units. */
const MAX_ATTRIBUTES = 8_192
const MAX_VALUE = 1_024
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map()

export function elementMarks(kind: ElementKind, tag: string): number {
  let marks = NAMES.get(kind.name) ?? 0
  const attributes = readAttributes(tag)
  if (attributes.size === 0) return marks
  const role = attributes.get('role')
  if (role !== undefined) marks |= ROLES.get(role.trim().toLowerCase()) ?? 0
  if (attributes.get('itemprop') === 'articleBody') marks |= MARK_ARTICLE
  if (isHidden(attributes)) marks |= MARK_HIDDEN
  for (const names of [attributes.get('class'), attributes.get('id')]) {
    if (names === undefined) continue
    const { isAside, isArticle } = namedKind(names)
    if (isAside) marks |= MARK_NAMED_ASIDE
    if (isArticle) marks |= MARK_ARTICLE
  }
  return marks
}

function readAttributes(tag: string): ReadonlyMap<string, string> {
  if (tag.length < 2) return NO_ATTRIBUTES
  const attributes = new Map<string, string>()
  for (const [, written, double, single, bare] of tag.slice(0, MAX_ATTRIBUTES).matchAll(ATTRIBUTE)) {
    const name = written!.toLowerCase()
    // If an attribute is repeated, the first one is used.
    if (READ.has(name) && !attributes.has(name)) {
      attributes.set(name, (double ?? single ?? bare ?? '').slice(0, MAX_VALUE))
    }
  }
  return attributes
}

function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return true
  const style = attributes.get('style')
  return style !== undefined && /(?:^|[;\s])(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)/i.test(style)
}

/** Class names for the parts of a page around its content. */
const ASIDE_WORDS: ReadonlySet<string> = new Set(
  (
    'ad ads advert advertisement breadcrumb breadcrumbs comments consent cookie cookies disqus flyout footer gdpr login ' +
    'masthead megamenu menu modal nav navbar navigation newsletter offcanvas pager pagination paywall popup popover ' +
    'promo recommended recommendations related share sharing sidebar signin signup skip skiplink skiplinks sponsor ' +
    'sponsored submenu subscribe subscription toc toolbar tooltip'
  ).split(' '),
)

const HIDDEN_NAME = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader|hidden)(?=\s|$)/i
const CONTENT_NAME = /(?:^|[\s_-])(?:article|post|entry)[-_]{0,2}(?:body|content|text)(?=$|[\s_-])/i
/** Largest number of cached names. */
const MAX_KNOWN = 4_096
const known = new Map<string, NamedKind>()

interface NamedKind {
  readonly isAside: boolean
  readonly isArticle: boolean
}

/** Classify an element by its class or id, for example `site-footer`, `shareBar`, or `entry-content`. */
export function namedKind(names: string): NamedKind {
  const found = known.get(names)
  if (found !== undefined) return found
  const words = names.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
  const isAside = words.some((word) => ASIDE_WORDS.has(word.toLowerCase())) || HIDDEN_NAME.test(names)
  const kind = { isAside, isArticle: CONTENT_NAME.test(names) }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(names, kind)
  return kind
}
