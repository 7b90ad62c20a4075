import { PatternWriter } from './pattern-writer.ts'
import { SyntaxFailure } from './syntax-failure.ts'
import { translateClass } from './translate-class.ts'
import { translateEscape } from './translate-escape.ts'

/** An expression of JavaScript, valid with `u` and without wherever it is valid at all. */
export interface Translation {
  readonly source: string
  readonly needsUnicode: boolean
  /** Whether the pattern begins with `(?i)` or the like. */
  readonly ignoreCase: boolean
  /** Return where in the text a unit of the source comes from. */
  positionOf(unit: number): number
}

/** Expressions nest no deeper than this; deeper ones would be a risk for the stack of whatever reads them. */
const GREATEST_DEPTH = 200

/** Known are `i`, `x`, and what changes nothing here: in a single line `m` and `s`, for `\d` and `\w` `a` and `u`. */
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
 * Translate what models write, which is a mixture of dialects, to JavaScript.
 *
 * Translated: flags such as `(?i)` (from where they stand to the end of their group) and `(?i:…)`, white space and comments
 * with `x`, `(?#…)`, `(?P<name>…)`, `(?P=name)`, `(?'name'…)`, `{,n}`, `\Q…\E`, classes of POSIX in brackets, and the escapes
 * of `translateEscape`. Throws a `SyntaxFailure` that names what has no equal in JavaScript.
 */
export function translateDialect(text: string): Translation {
  const translator = new Translator(text)
  translator.translate()
  const { writer, ignoreCase } = translator
  const { source, needsUnicode } = writer
  return { source, needsUnicode, ignoreCase, positionOf: (unit) => writer.positionOf(unit, text.length) }
}

/** A group that is open, or the pattern itself. */
interface Frame {
  readonly start: number
  isVerbose: boolean
  /** What flags amid the group opened, to be closed with it and opened again in each of its branches. */
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
    // Without `u`, a quantifier would be for the second unit alone.
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
