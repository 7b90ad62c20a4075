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

/** Say whether a class or id names what stands around the content: `site-footer`, `shareBar`. */
export function namesAside(names: string): boolean {
  for (const word of names.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)) if (ASIDE_WORDS.has(word.toLowerCase())) return true
  return HIDDEN_NAME.test(names)
}

/** Say whether a class or id names the text of an article: `entry-content`. */
export function namesContent(names: string): boolean {
  return CONTENT_NAME.test(names)
}
