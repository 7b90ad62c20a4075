/** Names of the characters from U+00A0 to U+00FF, in order (HTML 4, "Latin-1 entities"). */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
/** Other characters with their names: the names of XML (XML 1.0, 4.6), and frequent names of HTML. */
const OTHERS =
  '& amp < lt > gt " quot \' apos ‘ lsquo ’ rsquo ‚ sbquo “ ldquo ” rdquo „ bdquo ‹ lsaquo › rsaquo – ndash — mdash … hellip ' +
  '• bull € euro ™ trade † dagger ′ prime ″ Prime ← larr ↑ uarr → rarr ↓ darr − minus ≠ ne ≤ le ≥ ge ≈ asymp ∞ infin ' +
  'Œ OElig œ oelig Š Scaron š scaron Ÿ Yuml \u2002 ensp \u2003 emsp \u2009 thinsp \u200c zwnj \u200d zwj'

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(' ').map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Array.from(
    OTHERS.matchAll(/(\S|[\u2002\u2003\u2009]) (\w+)/g),
    ([, character, name]) => [name!, character!] as const,
  ),
])

/** Decode references by number or by a common name. Other references do not change. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7});?|#[xX]([\da-fA-F]{1,6});?|([a-zA-Z]{2,6}\d{0,2});)/g,
    (all, decimal, hex, name) => {
      if (name !== undefined) return NAMED.get(name) ?? all
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : all
    },
  )
}
