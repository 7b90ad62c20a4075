/** Patterns without lookaround and backreferences that are slow with backtracking, and code for their matches. */
export const LINEAR_PATTERNS: ReadonlyMap<string, (line: string) => boolean> = new Map([
  // Nested quantifiers.
  ['(a+)+$', has(/a$/)],
  ['(a*)*$', has(/$/)],
  ['(x+x+)+y', has(/xxy/)],
  ['(a+a?)*b', has(/b/)],
  ['([a-z]+)*\\d', has(/\d/)],
  ['((a+)b?)+c', has(/ab?c/)],
  ['(.+)+=', has(/.=/)],
  ['(\\d+-?)+x', has(/\d-?x/)],
  // Repeated alternatives that overlap.
  ['(a|a)*$', has(/$/)],
  ['(a|aa)+$', has(/a$/)],
  ['((a|b)*|c)*d', has(/d/)],
  ['(\\w|\\d)*!', has(/!/)],
  ['(a|ab|b)*c', has(/c/)],
  ['(?:a|a?)+$', has(/$/)],
  ['([ab]|a)*c', has(/c/)],
  // Words with an optional space.
  ['(\\w+\\s?)*$x', () => false],
  ['(\\s*\\w+\\s*)+;', has(/\w\s*;/)],
  ['^(\\w+\\s?)+$', has(/^(?:\w+\s)*\w+\s?$/)],
  ['(\\w+\\s?)+ 123', has(/\w\s? 123/)],
  ['(?:\\S+\\s*)+end$', has(/\S\s*end$/)],
  ['("?\\w*"?,?)+;', has(/;/)],
  // Anchored nested quantifiers.
  ['^(a+)+$', has(/^a+$/)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', has(/^[a-z](?:[a-z]|[^a-z](?=[a-z]|[A-Z][a-z]+$))+[A-Z][a-z]+$/)],
  ['^((\\w+ ?)+)=$', has(/^(?:\w+ )*\w+ ?=$/)],
  ['^(\\d+|[a-z ]+)*#$', has(/^[\da-z ]*#$/)],
  // Patterns of polynomial time.
  ['\\w+\\w+\\w+\\w+\\w+!', has(/\w{5}!/)],
  ['(.*),(.*),(.*),(.*),(.*);', has(/^(?:[^,]*,){4}.*;/)],
  ['^.*a.*a.*a.*a.*a.*b$', has(/^(?:[^a]*a){5}.*b$/)],
  ['\\d+.*\\d+.*\\d+.*x', has(/^(?:\D*\d){3}.*x/)],
  ['(?:.*foo){6}bar', (line) => line.slice(0, line.lastIndexOf('foobar') + 1).split('foo').length > 5],
  ['.*.*.*=.*', has(/=/)],
  ['\\s*\\S+\\s*\\S+\\s*=', has(/\S\s*\S\s*=/)],
  ['(.*a){12}$', (line) => line.endsWith('a') && line.split('a').length > 12],
  // Other scripts and upper case.
  ['(?i)(é+)+x', has(/éx/i)],
  ['(\\p{L}+)+\\d', has(/\p{L}\d/u)],
  ['(?i)(error|err)*x', has(/x/i)],
  ['(?i)(ß|ss)+$', has(/(?:ß|ss)$/i)],
  ['([^\\x00-\\x7f]+)*z$', has(/z$/)],
  ['(\\p{Lu}|\\p{L})*#', has(/#/)],
  // Bodies that match the empty text.
  ['(a{0,5})*b', has(/b/)],
  ['(a|\\b)*x', has(/x/)],
  ['(^a|a)*b', has(/b/)],
  ['(a|a|b?)*c', has(/c/)],
  ['(?:\\b|a+)+!', has(/\b!/)],
  // Counted repeats.
  ['(a{1,30}){1,30}$', has(/a$/)],
  ['(a?){60}a{60}$', has(/a{60}$/)],
  ['(?:\\w{1,10}){1,10}=', has(/\w=/)],
  ['[ab]{0,300}c', has(/c/)],
  ['(a{1,2000})*b', has(/b/)],
])

function has(expression: RegExp): (line: string) => boolean {
  return (line) => expression.test(line)
}

/** Patterns that a linear engine cannot support. */
export const OTHER_PATTERNS: readonly string[] = [
  '(a+)\\1+b',
  '^(?=(.*)*x).*$',
  '(?<!(a|aa)+)c',
  '(?=(a+))\\1*b',
  '(\\w+)\\s+\\1',
]

const WORDS = ['aaaaaaaaaa', 'value', 'xxxxxy', '12345', 'Ünïcode', 'ab', 'éx', 'foobar', 'a,b,c', 'error', '=;']
const ENDS = ['!', '!', 'a', 'aaaaaaaaa', 'ß', ' end', 'b', 'z', '#', ' =', 'Xyz']

/** Lines of `length` characters, generated from words. */
function lengthyLines(lines: number, length: number): string {
  let state = 7
  const oneOf = (choices: readonly string[]): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return choices[(state >>> 16) % choices.length]!
  }
  const line = (): string => {
    const end = oneOf(ENDS)
    let text = oneOf(['', 'a'.repeat(length)])
    while (text.length < length) text += oneOf(WORDS) + oneOf(['', ' ', ' '])
    return text.slice(0, length - end.length) + end
  }
  return Array.from({ length: lines }, line).join('\n')
}

/** Texts of 100 KB: with short lines, longer lines, and a single line. */
export const LENGTHY_TEXTS: Readonly<Record<string, () => string>> = {
  'short lines': () => lengthyLines(2_500, 40),
  'longer lines': () => lengthyLines(50, 2_000),
  'one line': () => lengthyLines(1, 100_000),
}
