import type { AST } from '@eslint-community/regexpp'
import { SyntaxFailure, type ExpressionFlags } from './pattern-tree.ts'

/** A translated expression for JavaScript. If possible, it is valid with and without the flag `u`. */
interface Translation {
  readonly source: string
  readonly needsUnicode: boolean
  readonly ignoreCase: boolean
}

/** Largest depth of groups. The limit protects the stack of every function that traverses the expression. */
const GREATEST_DEPTH = 200

/**
 * Translate an expression to JavaScript, because models mix several dialects. Throws a `SyntaxFailure` for syntax that
 * JavaScript cannot express. The function translates `(?i)` at the start, `(?P<name>…)`, `(?P=name)`, `{,n}`, POSIX
 * classes, and some escapes. The flags `m`, `s`, `a` and `u` have no effect.
 */
export function translateDialect(text: string): Translation {
  const flags = /^(?:\(\?[imsau]+\))*/.exec(text)![0]
  let at = flags.length
  let source = ''
  let needsUnicode = false
  const references = new Set<number | string>()
  const groups = new Set<number | string>()
  let captures = 0
  let depth = 0

  function translateNext(): void {
    const character = text[at]!
    if (character === '\\') translateEscape(false)
    else if (character === '[') translateClass()
    else if (character === '(') openGroup()
    else if (character === '{') translateBrace()
    else if (character === ')') {
      depth--
      write(')', 1)
    } else if ('^$.*+?|'.includes(character)) write(character, 1)
    else writeCharacter(text.codePointAt(at)!, false)
  }

  function ahead(): string {
    return text.slice(at, at + 80)
  }

  function write(syntax: string, length: number): void {
    source += syntax
    at += length
  }

  function writeCharacter(code: number, isInClass: boolean, length = code > 0xffff ? 2 : 1): void {
    const isWide = code > 0xffff
    if (isWide && isInClass) needsUnicode = true
    // Without `u`, the quantifier would only apply to the second half of the surrogate pair.
    const isGrouped = isWide && !isInClass && /^[*+?{]/.test(text.slice(at + length))
    const source = isInClass && code === 0x2d ? '\\-' : characterSource(code)
    write(isGrouped ? `(?:${source})` : source, length)
  }

  /**
   * Translate an escape. Returns whether it matches several characters, because then it cannot be the end of a range.
   * An escaped letter without a meaning is rejected, so that a text like `C:\Users` is searched literally.
   */
  function translateEscape(isInClass: boolean): boolean {
    const rest = ahead()
    const [same] = SAME.exec(rest) ?? []
    if (same !== undefined && !(isInClass && same === '\\B')) {
      write(same, same.length)
      return /[dws]/i.test(rest[1]!)
    }
    const syntax = (isInClass ? IN_CLASS : OUTSIDE)[rest[1] ?? '']
    if (syntax !== undefined) {
      write(syntax, 2)
      return rest[1] === 'h'
    }
    const [property, short, long] = /^\\[pP](?:([A-Z])|\{([\w=]+)\})/.exec(rest) ?? []
    if (property !== undefined) {
      needsUnicode = true
      write(`\\${rest[1]}{${propertyName(short ?? long!)}}`, property.length)
      return true
    }
    const [reference, number, name] = /^\\(?:([1-9]\d?)(?!\d)|k<(\w+)>)/.exec(rest) ?? []
    if (reference !== undefined && !isInClass) writeReference(name ?? Number(number), reference.length)
    else translateEscapedCharacter(rest, isInClass)
    return false
  }

  function translateEscapedCharacter(rest: string, isInClass: boolean): void {
    const [escape, digits] = /^\\[xu]\{([\da-fA-F]{1,6})\}/.exec(rest) ?? []
    if (escape !== undefined) {
      const code = Number.parseInt(digits!, 16)
      if (code > 0x10ffff) throw new SyntaxFailure('There is no such character')
      writeCharacter(code, isInClass, escape.length)
      return
    }
    const code = rest.codePointAt(1)
    if (code === undefined) throw new SyntaxFailure('A backslash at the end')
    if (/[A-Za-z0-9]/.test(rest[1]!)) throw new SyntaxFailure(`\`\\${rest[1]}\` has no meaning`)
    writeCharacter(code, isInClass, code > 0xffff ? 3 : 2)
  }

  function writeReference(group: number | string, length: number): void {
    references.add(group)
    write(typeof group === 'string' ? `\\k<${group}>` : `(?:\\${group})`, length)
  }

  function translateBrace(): void {
    const [all, min, more = ''] = /^\{(\d*)(,\d*)?\}/.exec(ahead()) ?? []
    // Braces without numbers are text.
    if (all === undefined || !/\d/.test(all)) write('\\{', 1)
    else write(min === '' ? `{0${more}}` : all, all.length)
  }

  function openGroup(): void {
    const rest = ahead()
    const [reference, referred] = /^\(\?P=(\w+)\)/.exec(rest) ?? []
    if (reference !== undefined) return writeReference(referred!, reference.length)
    const [flagged, flags, end] = /^\(\?([A-Za-z-]+)([:)])/.exec(rest) ?? []
    if (flagged !== undefined && /[^msau]/.test(flags!))
      throw new SyntaxFailure(`The flags \`${flags}\` are not supported here, only \`(?i)\` at the start`)
    if (end === ')') return write('', flagged!.length)
    if (++depth > GREATEST_DEPTH) throw new SyntaxFailure('Groups nested too deep')
    if (flagged !== undefined) return write('(?:', flagged.length)
    const [opener, name] = /^\((?:\?P?<(\w+)>)?/.exec(rest)!
    if (name !== undefined || rest[1] !== '?') groups.add(++captures)
    if (name !== undefined) groups.add(name)
    write(name === undefined ? '(' : `(?<${name}>`, opener.length)
  }

  /** Translate a class. A bracket as the first member is literal, except in `[^]`, which matches any character. */
  function translateClass(): void {
    const isNegated = text[at + 1] === '^'
    const behind = text.slice(at + 3)
    if (text.startsWith('[^]', at) && (/^[*+?{)|]/.test(behind) || !behind.includes(']'))) {
      write('[^]', 3)
      return
    }
    write(isNegated ? '[^' : '[', isNegated ? 2 : 1)
    let isBehindSet = false
    for (let isFirst = true; isFirst || text[at] !== ']'; isFirst = false) {
      if (at >= text.length) throw new SyntaxFailure('Unterminated character class')
      isBehindSet = translateMember(isBehindSet)
    }
    write(']', 1)
  }

  /** Translate a member of a class. Returns whether it matches several characters. */
  function translateMember(isBehindSet: boolean): boolean {
    const rest = ahead()
    if (rest.startsWith('\\')) return translateEscape(true)
    const [posix, name] = /^\[:(\w+):\]/.exec(rest) ?? []
    if (posix !== undefined) {
      const members = POSIX_CLASSES.get(name!)
      if (members === undefined) throw new SyntaxFailure(`The class \`${posix}\` is not supported`)
      write(members, posix.length)
      return true
    }
    if (rest.startsWith('&&[')) throw new SyntaxFailure('Intersections of classes are not supported')
    if (rest.startsWith('-')) {
      const isLiteral = isBehindSet || /^-(?:\\[dDwWsSpPh]|\[:)/.test(rest)
      write(isLiteral ? '\\-' : '-', 1)
    } else writeCharacter(rest.codePointAt(0)!, true)
    return false
  }

  while (at < text.length) translateNext()
  for (const group of references) if (!groups.has(group)) throw new SyntaxFailure(`There is no group \`${group}\``)
  return { source, needsUnicode, ignoreCase: flags.includes('i') }
}

/** Escapes that have the same meaning in JavaScript. */
const SAME = /^\\(?:[dDwWsSbBtnrfv]|0(?!\d)|x[\da-fA-F]{2}|u[\da-fA-F]{4})/
const OUTSIDE: Readonly<Record<string, string>> = { A: '^', Z: '$', z: '$', h: '[ \\t]', e: '\\x1b' }
const IN_CLASS: Readonly<Record<string, string>> = { h: ' \\t', e: '\\x1b' }

const POSIX_CLASSES: ReadonlyMap<string, string> = new Map([
  ['alnum', '0-9A-Za-z'],
  ['alpha', 'A-Za-z'],
  ['blank', ' \\t'],
  ['cntrl', '\\0-\\x1f\\x7f'],
  ['digit', '\\d'],
  ['lower', 'a-z'],
  ['print', ' -~'],
  ['punct', '!-\\/:-@\\[-`\\{-~'],
  ['space', '\\s'],
  ['upper', 'A-Z'],
  ['word', '\\w'],
  ['xdigit', '0-9A-Fa-f'],
])

/** Return the name of a property for JavaScript. In other dialects, scripts may be named without `Script=`. */
function propertyName(name: string): string {
  for (const candidate of [name, `Script=${name}`]) {
    try {
      if (new RegExp(`\\p{${candidate}}`, 'u').unicode) return candidate
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  }
  throw new SyntaxFailure(`There is no property \`${name}\` of characters`)
}

function characterSource(code: number): string {
  const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff
  if (isLoneSurrogate || code < 0x20) return `\\u${code.toString(16).padStart(4, '0')}`
  return String.fromCodePoint(code).replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Apply edits that do not overlap. Edits at the same position keep their order. */
function editSource(source: string, edits: readonly Edit[]): string {
  let edited = ''
  let at = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    edited += source.slice(at, start) + text
    at = end
  }
  return edited + source.slice(at)
}

/** The characters of `\s` without LF, as members of a class. */
const SPACES_WITHOUT_LINE_FEED = '\\t\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
type CharacterLeaf = AST.Character | AST.CharacterSet | AST.CharacterClass

/**
 * Rewrite an expression so that it never matches an LF. Then it can search many lines at once with the flag `m`. From
 * any position, the new expression finds the same match as in the single line.
 */
export function textSource(pattern: AST.Pattern, flags: ExpressionFlags): string {
  const edits: Edit[] = []
  visitBranches(pattern.alternatives, (leaf) => {
    const text = withoutLineFeed(leaf, flags)
    if (text !== leaf.raw) edits.push({ start: leaf.start, end: leaf.end, text })
  })
  return editSource(pattern.raw, edits)
}

function visitBranches(branches: readonly AST.Alternative[], visit: (leaf: CharacterLeaf) => void): void {
  for (const { elements } of branches) {
    for (const element of elements) {
      const atom = element.type === 'Quantifier' ? element.element : element
      if ('alternatives' in atom) visitBranches(atom.alternatives, visit)
      else if (atom.type === 'Character' || atom.type === 'CharacterSet') visit(atom)
      else if (atom.type === 'CharacterClass') visit(atom)
    }
  }
}

function withoutLineFeed(leaf: CharacterLeaf, flags: ExpressionFlags): string {
  if (!mayMatchLineFeed(leaf) || !matchesLineFeed(leaf.raw, flags)) return leaf.raw
  const source = narrowed(leaf, flags)
  return source === leaf.raw || matchesLineFeed(source, flags) ? `(?:(?!\\n)${leaf.raw})` : source
}

function mayMatchLineFeed(leaf: CharacterLeaf): boolean {
  if (leaf.type === 'Character') return leaf.value === 0x0a
  if (leaf.type === 'CharacterClass' || leaf.kind === 'any' || leaf.kind === 'property') return true
  return (leaf.kind === 'space') !== leaf.negate
}

/** Return an equivalent that excludes LF. Returns the original if no equivalent is fast and correct for all flags. */
function narrowed(leaf: CharacterLeaf, flags: ExpressionFlags): string {
  if (leaf.type === 'Character') return '[]'
  if (leaf.type === 'CharacterSet') {
    if (leaf.kind === 'any') return '[^\\n]'
    return leaf.kind === 'property' || hasOddWords(flags) ? leaf.raw : `[^${oppositeOf(leaf.raw)}\\n]`
  }
  // A range of LF only. A hyphen after a range is literal.
  if (leaf.negate) return `[^\\n-\\n${leaf.raw.slice(2)}`
  if (isEverything(leaf)) return '[^\\n]'
  return editSource(
    leaf.raw,
    leaf.elements
      .filter((member) => member.raw === '\\s')
      .map(({ start, end }) => ({ start: start - leaf.start, end: end - leaf.start, text: SPACES_WITHOUT_LINE_FEED })),
  )
}

function oppositeOf(escape: string): string {
  const lower = escape.toLowerCase()
  return escape === lower ? escape.toUpperCase() : lower
}

/** Whether the flags `i` and `u` are both set. Engines then disagree about word characters. */
function hasOddWords({ ignoreCase, unicode }: ExpressionFlags): boolean {
  return ignoreCase && unicode
}

function isEverything(leaf: AST.CharacterClass): boolean {
  const sets = leaf.elements.map(({ raw }) => raw)
  return ['s', 'd', 'w'].some((set) => sets.includes(`\\${set}`) && sets.includes(`\\${set.toUpperCase()}`))
}

function matchesLineFeed(source: string, { ignoreCase, unicode }: ExpressionFlags): boolean {
  return new RegExp(source, `s${ignoreCase ? 'i' : ''}${unicode ? 'u' : ''}`).test('\n')
}
