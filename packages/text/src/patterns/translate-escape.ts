import { SyntaxFailure } from './syntax-failure.ts'

/** What stands behind a backslash: one character, or syntax of JavaScript. */
export interface Escape {
  /** Where the escape ends in the text. */
  readonly end: number
  readonly character?: number
  /** In a class, members without brackets. */
  readonly syntax?: string
  /** Whether the syntax matches one of several characters, so that in a class it is no end of a range. */
  readonly isSet?: boolean
  /** A reference to a group by its number or name; whether there is such a group is known at the end of the pattern. */
  readonly group?: number | string
  readonly needsUnicode?: boolean
}

/** What JavaScript reads as it is meant, in classes and outside. */
const SETS = 'dDwWsS'
const CONTROLS = 'tnrfv'

/** What JavaScript would read as plain letters. */
const OUTSIDE: Readonly<Record<string, string>> = {
  A: '^',
  Z: '$',
  z: '$',
  h: '[ \\t]',
  H: '[^ \\t]',
  N: '.',
  R: '(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])',
  V: '[^\\n\\v\\f\\r\\x85\\u2028\\u2029]',
}
const IN_CLASS: Readonly<Record<string, string>> = {
  b: '\\x08',
  h: ' \\t',
  H: '\\0-\\x08\\n-\\x1f!-\\uffff',
}
const UNSUPPORTED: Readonly<Record<string, string>> = {
  K: '`\\K` is not supported',
  G: '`\\G` is not supported',
  X: 'Grapheme clusters (`\\X`) are not supported',
  C: 'Single bytes (`\\C`) are not supported',
}

/**
 * Read the escape at `start`, outside a character class.
 *
 * What other dialects have is translated where that is exact: `\A`, `\Z` and `\z` as the edges of the line, `\h`, `\H`,
 * `\R`, `\N`, `\V`, `\a`, `\e`, `\x{…}`, `\U0001F600`, `\o{…}`, `\pL`, `\p{^L}`, `\k{name}` and `\g{1}`. Letters that have no
 * meaning are refused, not taken for themselves: `C:\Users` is better searched literally. `\<` and `\>` are brackets, as in
 * JavaScript, and no edges of words.
 */
export function translateEscape(text: string, start: number): Escape {
  const letter = text[start + 1]
  const end = start + 2
  if (letter === undefined) throw new SyntaxFailure('A backslash at the end', start)
  if (SETS.includes(letter)) return { end, syntax: `\\${letter}`, isSet: true }
  if (letter === 'b' || letter === 'B') {
    if (text[end] === '{') throw new SyntaxFailure('`\\b{…}` is not supported', start)
    return { end, syntax: `\\${letter}` }
  }
  if (letter === 'k' || letter === 'g') return referenceEscape(text, start)
  const number = /^[1-9]\d?(?!\d)/.exec(text.slice(start + 1, start + 4))
  if (number) return { end: start + 1 + number[0].length, group: Number(number[0]) }
  const syntax = letter === 'N' && text[end] === '{' ? undefined : OUTSIDE[letter]
  if (syntax !== undefined) return { end, syntax }
  return characterEscape(text, start, letter)
}

/** Read the escape at `start` inside a character class. */
export function translateClassEscape(text: string, start: number): Escape {
  const letter = text[start + 1]
  const end = start + 2
  if (letter === undefined) throw new SyntaxFailure('A backslash at the end', start)
  if (SETS.includes(letter)) return { end, syntax: `\\${letter}`, isSet: true }
  const syntax = IN_CLASS[letter]
  if (syntax !== undefined) return { end, syntax, isSet: letter !== 'b' }
  return characterEscape(text, start, letter)
}

function characterEscape(text: string, start: number, letter: string): Escape {
  const end = start + 2
  if (CONTROLS.includes(letter)) return { end, syntax: `\\${letter}` }
  if (letter === 'p' || letter === 'P') return propertyEscape(text, start)
  if (letter === 'a') return { end, character: 0x07 }
  if (letter === 'e') return { end, character: 0x1b }
  if (letter === 'c') {
    const control = /^[A-Za-z]/.exec(text.slice(end, end + 1))
    if (control) return { end: end + 1, character: control[0].charCodeAt(0) % 32 }
    throw new SyntaxFailure('`\\c` needs a letter', start)
  }
  if ('xuUo'.includes(letter)) return codeEscape(text, start, letter)
  const octal = /^(?:0[0-7]{0,2}|[1-3][0-7]{2})/.exec(text.slice(start + 1, start + 4))
  if (octal) return { end: start + 1 + octal[0].length, character: Number.parseInt(octal[0], 8) }
  if (/[A-Za-z0-9]/.test(letter)) {
    throw new SyntaxFailure(UNSUPPORTED[letter] ?? `\`\\${letter}\` has no meaning`, start)
  }
  const character = text.codePointAt(start + 1)!
  return { end: character > 0xffff ? end + 1 : end, character }
}

/** Their digits in braces, and without. */
const CODES: Readonly<Record<string, readonly RegExp[]>> = {
  x: [/^\{([\da-f]{1,8})\}/i, /^([\da-f]{2})/i],
  u: [/^\{([\da-f]{1,8})\}/i, /^([\da-f]{4})/i],
  U: [/^([\da-f]{8})/i],
  o: [/^\{([0-7]{1,7})\}/],
}

function codeEscape(text: string, start: number, letter: string): Escape {
  const behind = text.slice(start + 2, start + 12)
  const digits = CODES[letter]!.map((expression) => expression.exec(behind)).find((match) => match !== null)
  if (!digits) throw new SyntaxFailure(`\`\\${letter}\` needs digits of a character`, start)
  const code = Number.parseInt(digits[1]!, letter === 'o' ? 8 : 16)
  if (code > 0x10ffff) throw new SyntaxFailure('There is no such character', start)
  const end = start + 2 + digits[0].length
  const low = code >= 0xd800 && code <= 0xdbff && /^\\u(d[c-f][\da-f]{2})/i.exec(text.slice(end, end + 6))
  if (!low) return { end, character: code }
  return { end: end + 6, character: (code - 0xd800) * 0x400 + Number.parseInt(low[1]!, 16) - 0xdc00 + 0x10000 }
}

function propertyEscape(text: string, start: number): Escape {
  const property = /^(?:([A-Z])|\{(\^?)([\w=]+)\})/.exec(text.slice(start + 2, start + 80))
  if (!property) throw new SyntaxFailure('`\\p` needs a property in braces', start)
  const [all, short, negation, long] = property
  const isNegated = (text[start + 1] === 'P') !== (negation === '^')
  const name = propertyName(short ?? long!)
  if (name === undefined) throw new SyntaxFailure(`There is no property \`${short ?? long!}\` of characters`, start)
  return {
    end: start + 2 + all.length,
    syntax: `\\${isNegated ? 'P' : 'p'}{${name}}`,
    isSet: true,
    needsUnicode: true,
  }
}

/** Scripts may come without `Script=`, as in other dialects. */
function propertyName(name: string): string | undefined {
  return [name, `Script=${name}`].find((candidate) => {
    try {
      return new RegExp(`\\p{${candidate}}`, 'u').unicode
    } catch (error) {
      if (error instanceof SyntaxError) return false
      throw error
    }
  })
}

function referenceEscape(text: string, start: number): Escape {
  const behind = text.slice(start + 1, start + 80)
  const name = /^(?:k<(\w+)>|k'(\w+)'|[kg]\{([A-Za-z_]\w*)\})/.exec(behind)
  if (name) return { end: start + 1 + name[0].length, group: name[1] ?? name[2] ?? name[3]! }
  const number = /^g(?:([1-9]\d?)(?!\d)|\{([1-9]\d?)\})/.exec(behind)
  if (number) return { end: start + 1 + number[0].length, group: Number(number[1] ?? number[2]) }
  if (/^g[<']/.test(behind)) throw new SyntaxFailure('Recursion is not supported', start)
  throw new SyntaxFailure(`\`\\${text[start + 1]!}\` needs the name of a group`, start)
}
