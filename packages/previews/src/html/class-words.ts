/** Words by which authors and frameworks name what stands around the content of a page. */
const ASIDE_WORDS: ReadonlySet<string> = new Set(
  (
    'ad ads advert advertisement breadcrumb breadcrumbs comments consent cookie cookies disqus flyout footer gdpr login ' +
    'masthead megamenu menu modal nav navbar navigation newsletter offcanvas pager pagination paywall popup popover ' +
    'promo recommended recommendations related share sharing sidebar signin signup skip skiplink skiplinks sponsor ' +
    'sponsored submenu subscribe subscription toc toolbar tooltip'
  ).split(' '),
)

/** Names of what is read aloud but not shown. */
const HIDDEN_NAME = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader|hidden)(?=\s|$)/i
const CONTENT_NAME = /(?:^|[\s_-])(?:article|post|entry)[-_]{0,2}(?:body|content|text)(?=$|[\s_-])/i

/** What is known of names, so that each is looked at once. */
const MAX_KNOWN = 4_096
const known = new Map<string, NamedKind>()

/** What a class or id says of an element: whether it stands around the content, or is the text of an article. */
export interface NamedKind {
  readonly isAside: boolean
  readonly isArticle: boolean
}

/** Read what an element is off its class and id, such as `site-footer`, `shareBar` or `entry-content`. */
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
