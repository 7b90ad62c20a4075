import type { PatternWriter } from './pattern-writer.ts'
import { SyntaxFailure } from './syntax-failure.ts'
import { translateClassEscape } from './translate-escape.ts'

/** The members of what POSIX names, as `[:digit:]`, in the syntax of JavaScript. */
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
 * Write the character class that begins at `start`, and return where it ends.
 *
 * A bracket that is its first member stands for itself, as in every dialect but JavaScript: `[]abc]`, `[^]]`. `[^]` alone,
 * or with a quantifier behind it, is any character, as JavaScript has it.
 */
export function translateClass(text: string, start: number, writer: PatternWriter): number {
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
