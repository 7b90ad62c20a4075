import { SyntaxFailure } from './pattern-tree.ts'

/** A JavaScript expression, valid both with and without `u` if possible. */
export interface Translation {
  readonly source: string
  readonly needsUnicode: boolean
  readonly ignoreCase: boolean
  /** Return the position in the original text of a unit of the source. */
  positionOf(unit: number): number
}

/** Protects the stack of every reader of the expression. */
const GREATEST_DEPTH = 200

/** Flags other than `i` and `x`, and other than `m`, `s`, `a` and `u`, which have no effect here. */
const UNKNOWN_FLAG = /[^imsxua]/

const REFUSED: readonly (readonly [beginning: RegExp, message: string])[] = [
  [/^\(\?>/, 'Atomic groups are not supported'],
  [/^\(\?\|/, 'Branch reset groups are not supported'],
  [/^\(\?\(/, 'Conditionals are not supported'],
  [/^\(\?(?:R|[+-]?\d|&|P>)/, 'Recursion is not supported'],
  [/^\(\?\??\{/, 'Code in expressions is not supported'],
  [/^\(\*[A-Za-z]/, 'Verbs such as `(*SKIP)` are not supported'],
]

/**
 * Translate the mixed dialects of models to JavaScript. Throws a `SyntaxFailure` for syntax without an equivalent.
 * Translated: `(?i)`, `(?i:…)`, `(?x)`, `(?#…)`, `(?P<name>…)`, `(?P=name)`, `(?'name'…)`, `{,n}`, `\Q…\E`, POSIX
 * classes, and the escapes of `translateEscape`.
 */
export function translateDialect(text: string): Translation {
  const translator = new Translator(text)
  translator.translate()
  const { writer, ignoreCase } = translator
  const { source, needsUnicode } = writer
  return { source, needsUnicode, ignoreCase, positionOf: (unit) => writer.positionOf(unit, text.length) }
}

interface Frame {
  readonly start: number
  isVerbose: boolean
  /** Groups opened by flags inside the group, closed with it and reopened in each of its branches. */
  readonly openers: string[]
}

class Translator {
  readonly writer = new PatternWriter()
  ignoreCase = false
  readonly #text: string
  readonly #frames: Frame[] = [{ start: 0, isVerbose: false, openers: [] }]
  readonly #references: { readonly group: number | string; readonly position: number }[] = []
  readonly #names = new Set<string>()
  #groups = 0
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  translate(): void {
    while (this.#at < this.#text.length) this.#translateNext()
    const { start, openers } = this.#frame()
    if (this.#frames.length > 1) throw new SyntaxFailure('Unterminated group', start)
    this.#write(')'.repeat(openers.length))
    const missing = this.#references.find(({ group }) => !this.#hasGroup(group))
    if (missing) throw new SyntaxFailure(`There is no group \`${missing.group}\``, missing.position)
  }

  #hasGroup(group: number | string): boolean {
    return typeof group === 'string' ? this.#names.has(group) : group <= this.#groups
  }

  #translateNext(): void {
    const character = this.#text[this.#at]!
    if (this.#frame().isVerbose && this.#skipsBlank()) return
    if (character === '\\') this.#translateEscape()
    else if (character === '[') this.#at = translateClass(this.#text, this.#at, this.writer)
    else if (character === '(') this.#openGroup()
    else if (character === ')') this.#closeGroup()
    else if (character === '|') this.#nextBranch()
    else if ('*+?{'.includes(character)) this.#translateQuantifier()
    else if ('^$.'.includes(character)) this.#copy(1)
    else this.#translateCharacter(this.#text.codePointAt(this.#at)!)
  }

  #frame(): Frame {
    return this.#frames.at(-1)!
  }

  #rest(length = 80): string {
    return this.#text.slice(this.#at, this.#at + length)
  }

  #write(syntax: string): void {
    this.writer.write(syntax, this.#at)
  }

  #copy(length: number): void {
    for (let unit = 0; unit < length; unit++, this.#at++) this.#write(this.#text[this.#at]!)
  }

  #skipsBlank(): boolean {
    const blank = /^(?:\s+|#[^\n]*\n?)/.exec(this.#text.slice(this.#at))
    if (!blank) return false
    this.#at += blank[0].length
    return true
  }

  #translateCharacter(character: number, length = character > 0xffff ? 2 : 1): void {
    const end = this.#at + length
    // Without `u`, the quantifier would only apply to the second unit.
    const isGrouped = character > 0xffff && /^[*+?{]/.test(this.#text.slice(end, end + 1))
    if (isGrouped) this.#write('(?:')
    this.writer.writeCharacter(character, this.#at)
    if (isGrouped) this.#write(')')
    this.#at = end
  }

  #translateEscape(): void {
    if (this.#rest(2) === '\\Q') return this.#translateQuotation()
    if (this.#rest(2) === '\\E') {
      this.#at += 2
      return
    }
    const { end, character, syntax, group, needsUnicode = false } = translateEscape(this.#text, this.#at)
    if (needsUnicode) this.writer.needsUnicode = true
    if (group !== undefined) this.#writeReference(group)
    else if (syntax !== undefined) this.#write(syntax)
    else this.#translateCharacter(character!, end - this.#at)
    this.#at = end
  }

  #writeReference(group: number | string): void {
    this.#references.push({ group, position: this.#at })
    this.#write(typeof group === 'string' ? `\\k<${group}>` : `(?:\\${group})`)
  }

  #translateQuotation(): void {
    const end = this.#text.indexOf('\\E', this.#at)
    const quoted = this.#text.slice(this.#at + 2, end < 0 ? undefined : end)
    this.#at += 2
    for (const character of quoted) this.#translateCharacter(character.codePointAt(0)!)
    if (end >= 0) this.#at += 2
  }

  #translateQuantifier(): void {
    const quantifier = /^(?:[*+?]|\{(\d*)(?:(,)(\d*))?\})/.exec(this.#rest())
    const [all, min, comma, max] = quantifier ?? []
    if (all === undefined || (min === '' && (max ?? '') === '')) return this.#translateCharacter(0x7b)
    if (min === '') this.#write(`{0${comma!}${max!}}`)
    else this.#write(all)
    this.#at += all.length
    if (this.#rest(1) === '+') throw new SyntaxFailure('Possessive quantifiers are not supported', this.#at)
    if (this.#rest(1) === '?') this.#copy(1)
  }

  #openGroup(): void {
    const rest = this.#rest()
    const refused = REFUSED.find(([beginning]) => beginning.test(rest))
    if (refused) throw new SyntaxFailure(refused[1], this.#at)
    if (rest.startsWith('(?#')) return this.#skipComment()
    const reference = /^\(\?P=(\w+)\)/.exec(rest)
    if (reference) {
      this.#writeReference(reference[1]!)
      this.#at += reference[0].length
      return
    }
    if (!rest.startsWith('(?')) return this.#pushGroup(1, '(', true)
    const plain = /^\(\?(?:<?[=!]|:)/.exec(rest)
    if (plain) return this.#pushGroup(plain[0].length, plain[0], false)
    const named = /^\(\?(?:P?<(\w+)>|'(\w+)')/.exec(rest)
    if (!named) return this.#openFlags(rest)
    const name = named[1] ?? named[2]!
    this.#names.add(name)
    this.#pushGroup(named[0].length, `(?<${name}>`, true)
  }

  #openFlags(rest: string): void {
    const flags = /^\(\?([A-Za-z]*)(?:-([A-Za-z]+))?([:)])/.exec(rest)
    if (!flags) throw new SyntaxFailure('Unknown kind of group', this.#at)
    const [all, on = '', off = '', end] = flags
    const unknown = UNKNOWN_FLAG.exec(on + off)
    if (unknown) throw new SyntaxFailure(`The flag \`${unknown[0]}\` is not supported`, this.#at)
    const opener = off.includes('i') ? '(?-i:' : on.includes('i') ? '(?i:' : '(?:'
    const isVerbose = off.includes('x') ? false : on.includes('x') || this.#frame().isVerbose
    if (end === ':') {
      this.#pushGroup(all.length, opener, false, isVerbose)
      return
    }
    const isLeading = this.writer.source === '' && this.#frames.length === 1
    if (isLeading && opener === '(?i:') this.ignoreCase = true
    else if (opener !== '(?:') {
      this.#write(opener)
      this.#frame().openers.push(opener)
    }
    this.#frame().isVerbose = isVerbose
    this.#at += all.length
  }

  #pushGroup(length: number, opener: string, captures: boolean, isVerbose = this.#frame().isVerbose): void {
    if (this.#frames.length > GREATEST_DEPTH) throw new SyntaxFailure('Groups nested too deep', this.#at)
    if (captures) this.#groups++
    this.#frames.push({ start: this.#at, isVerbose, openers: [] })
    this.#write(opener)
    this.#at += length
  }

  #closeGroup(): void {
    const { openers } = this.#frame()
    if (this.#frames.length === 1) throw new SyntaxFailure('Unmatched `)`', this.#at)
    this.#frames.pop()
    this.#write(')'.repeat(openers.length))
    this.#copy(1)
  }

  #nextBranch(): void {
    const { openers } = this.#frame()
    this.#write(')'.repeat(openers.length))
    this.#copy(1)
    this.#write(openers.join(''))
  }

  #skipComment(): void {
    const end = this.#text.indexOf(')', this.#at)
    if (end < 0) throw new SyntaxFailure('Unterminated comment', this.#at)
    this.#at = end + 1
  }
}

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\0-\\x7f',
  blank: ' \\t',
  cntrl: '\\0-\\x1f\\x7f',
  digit: '\\d',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
  '^digit': '\\D',
  '^space': '\\S',
  '^word': '\\W',
}

/**
 * Translate the character class at `start`. A bracket as first member is literal, except in `[^]`, which is any
 * character.
 */
function translateClass(text: string, start: number, writer: PatternWriter): number {
  const isNegated = text[start + 1] === '^'
  let at = start + (isNegated ? 2 : 1)
  if (isNegated && text[at] === ']' && isAnyCharacter(text, at + 1)) {
    writer.write('[^]', start)
    return at + 1
  }
  writer.write(isNegated ? '[^' : '[', start)
  let behindSet = false
  for (let isFirst = true; isFirst || text[at] !== ']'; isFirst = false) {
    if (at >= text.length) throw new SyntaxFailure('Unterminated character class', start)
    const member = translateMember(text, at, behindSet, writer)
    at = member.end
    behindSet = member.isSet
  }
  writer.write(']', at)
  return at + 1
}

interface Member {
  readonly end: number
  readonly isSet: boolean
}

function translateMember(text: string, at: number, behindSet: boolean, writer: PatternWriter): Member {
  const character = text.codePointAt(at)!
  if (text.startsWith('\\', at)) return translateEscapedMember(text, at, writer)
  if (text.startsWith('[', at)) {
    const posix = translatePosixClass(text, at, writer)
    if (posix !== undefined) return { end: posix, isSet: true }
  }
  if (text.startsWith('&&[', at)) throw new SyntaxFailure('Intersections of classes are not supported', at)
  if (text.startsWith('-', at)) {
    const isLiteral = behindSet || /^-(?:\\[dDwWsSpPhH]|\[:)/.test(text.slice(at, at + 3))
    writer.write(isLiteral ? '\\-' : '-', at)
    return { end: at + 1, isSet: false }
  }
  writeMember(character, at, writer)
  return { end: at + (character > 0xffff ? 2 : 1), isSet: false }
}

function translateEscapedMember(text: string, at: number, writer: PatternWriter): Member {
  const { end, character, syntax, isSet = false, needsUnicode = false } = translateClassEscape(text, at)
  if (needsUnicode) writer.needsUnicode = true
  if (syntax !== undefined) writer.write(syntax, at)
  else if (character === 0x2d) writer.write('\\-', at)
  else writeMember(character!, at, writer)
  return { end, isSet }
}

function writeMember(character: number, at: number, writer: PatternWriter): void {
  if (character > 0xffff) writer.needsUnicode = true
  writer.writeCharacter(character, at)
}

function translatePosixClass(text: string, at: number, writer: PatternWriter): number | undefined {
  const name = /^\[([:=.])(\^?[^\]]*?)\1\]/.exec(text.slice(at, at + 40))
  if (!name) return undefined
  const members = name[1] === ':' ? POSIX_CLASSES[name[2]!] : undefined
  if (members === undefined) throw new SyntaxFailure(`The class \`${name[0]}\` is not supported`, at)
  writer.write(members, at)
  return at + name[0].length
}

function isAnyCharacter(text: string, end: number): boolean {
  return /^[*+?{)|]/.test(text.slice(end, end + 1)) || !text.includes(']', end)
}

interface Escape {
  readonly end: number
  readonly character?: number
  /** In a class: members without brackets. */
  readonly syntax?: string
  /** Whether the syntax matches a set of characters, which cannot be the end of a range in a class. */
  readonly isSet?: boolean
  /** A reference to a group by number or name. The end of the pattern shows whether the group exists. */
  readonly group?: number | string
  readonly needsUnicode?: boolean
}

const SETS = 'dDwWsS'
const CONTROLS = 'tnrfv'

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
 * Translate the escape at `start`, outside a character class, if there is an exact equivalent. Letters without a
 * meaning are rejected, since `C:\Users` is better searched literally. `\<` and `\>` are literal as in JavaScript, not
 * word boundaries.
 */
function translateEscape(text: string, start: number): Escape {
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

function translateClassEscape(text: string, start: number): Escape {
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

/** Accepts scripts without `Script=`, as in other dialects. */
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

class PatternWriter {
  source = ''
  /** Set by syntax that requires the flag `u`. */
  needsUnicode = false
  readonly #positions: number[] = []

  write(syntax: string, position: number): void {
    this.source += syntax
    for (let unit = 0; unit < syntax.length; unit++) this.#positions.push(position)
  }

  writeCharacter(code: number, position: number): void {
    const character = String.fromCodePoint(code)
    const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff
    if (isLoneSurrogate) this.write(`\\u${code.toString(16)}`, position)
    else if (code < 0x20) this.write(`\\x${code.toString(16).padStart(2, '0')}`, position)
    else this.write(/[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character, position)
  }

  positionOf(unit: number, end: number): number {
    return this.#positions[unit] ?? end
  }
}
