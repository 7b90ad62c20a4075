import type { DefinitionRules } from './definition-rules.ts'

/** A name that a line defines. */
export interface Definition {
  readonly name: string
  readonly kind: string
}

/** Longest part of a line that is looked at. */
const LONGEST = 240

/** In these, names are defined that are called elsewhere; in any other definition, a name before `(` is a call. */
const HOLDS_METHODS: ReadonlySet<string> = new Set([
  'class',
  'struct',
  'interface',
  'enum',
  'record',
  'union',
  'module',
  'trait',
  'annotation',
  'extension',
  'implementation',
])
/** Words before `(` that define nothing, in any language. */
const NO_NAMES: ReadonlySet<string> = new Set(
  (
    'if for while switch catch return sizeof new throw else do typeof await yield case assert defined foreach using ' +
    'lock fixed when with super this synchronized function alignof decltype noexcept static_assert elif elsif unless until defer'
  ).split(' '),
)

interface Matcher {
  readonly keyword: RegExp | undefined
  readonly kinds: ReadonlyMap<string, string>
}
const matchers = new WeakMap<DefinitionRules, Matcher>()

/**
 * Tell what a line defines, by the rules of its language.
 *
 * @param previous - The line of code before it: in C a return type may stand there.
 * @param inside - The kind of the definition that the line stands in.
 */
export function definitionAt(
  whole: string,
  previous: string,
  inside: string | undefined,
  rules: DefinitionRules,
): Definition | undefined {
  const line = whole.length > LONGEST ? whole.slice(0, LONGEST) : whole
  const start = line.search(/\S/)
  if (start < 0) return undefined
  const { keyword, kinds } = matcherOf(rules)
  if (keyword !== undefined) {
    keyword.lastIndex = start
    const [, word, name] = keyword.exec(line) ?? []
    if (word !== undefined && name !== undefined && !isDeclaration(line, word, rules))
      return { name, kind: kinds.get(word) ?? word }
  }
  for (const [pattern, kind] of rules.forms ?? []) {
    pattern.lastIndex = start
    const name = pattern.exec(line)?.[1]
    if (name !== undefined) return { name, kind }
  }
  if (rules.calls === undefined) return undefined
  const holds = inside !== undefined && HOLDS_METHODS.has(inside)
  if (!holds && (rules.calls !== 'outer' || inside !== undefined)) return undefined
  const name = nameBeforeParameters(line, start, previous, rules.calls)
  return name === undefined ? undefined : { name, kind: holds ? 'method' : 'function' }
}

function matcherOf(rules: DefinitionRules): Matcher {
  const known = matchers.get(rules)
  if (known !== undefined) return known
  const words = rules.keywords
    .split(' ')
    .filter(Boolean)
    .map((each) => each.split('=') as [string, string?])
  const kinds = new Map(words.map(([word, kind = word]) => [word, kind]))
  const modifiers = rules.modifiers === undefined ? '' : `(?:(?:${escaped(rules.modifiers.split(' '))})[ \\t]+)*`
  const name = rules.name ?? String.raw`[\p{L}_]\w*`
  const keyword = `${modifiers}(${escaped([...kinds.keys()])})[ \\t]+${rules.between ?? ''}(${name})`
  const matcher = { keyword: kinds.size === 0 ? undefined : new RegExp(keyword, 'uy'), kinds }
  matchers.set(rules, matcher)
  return matcher
}

/** Longer words first, so that none hides another that begins like it. */
function escaped(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('|')
}

/** `struct point p;` and `struct point *find(…)` use a type of C, and define none. */
function isDeclaration(line: string, word: string, rules: DefinitionRules): boolean {
  if (rules.calls !== 'outer' || !/^(?:class|struct|union|enum)$/.test(word)) return false
  return /;\s*$/.test(line) || /^[^:{]*[(=]/.test(line) || /\b(?:struct|union|enum|class)[ \t]+\w+[ \t]*\*/.test(line)
}

/** The name that parameters follow, where the line begins a definition rather than a call. */
function nameBeforeParameters(
  line: string,
  start: number,
  previous: string,
  calls: 'outer' | 'typed' | 'bare',
): string | undefined {
  const open = line.indexOf('(', start)
  if (open < 0) return undefined
  let end = open
  while (end > start && line.charCodeAt(end - 1) === 32) end--
  if (calls === 'bare' && line.charCodeAt(end - 1) === 62) end = Math.max(start, line.lastIndexOf('<', end))
  let from = end
  while (from > start && isNameUnit(line.charCodeAt(from - 1))) from--
  const qualified = line.slice(from, end)
  const name = qualified.slice(qualified.lastIndexOf(':') + 1)
  if (name === '' || NO_NAMES.has(name) || isDigit(name.charCodeAt(0))) return undefined
  const before = line.slice(start, from)
  if (/[=.!?"'`+\-/|;{}]|^(?:return|new|throw|else|case|goto|await|yield|delete|package|import|using)\b/.test(before))
    return undefined
  const ended = line.trimEnd()
  const last = ended.charCodeAt(ended.length - 1)
  if (calls === 'bare') return isMethod(before, last) ? name : undefined
  if (last === SEMICOLON && !/\b(?:abstract|native|virtual)\b|=\s*0\s*;$/.test(ended)) return undefined
  if (before !== '' || (qualified !== name && calls === 'outer')) return name
  // The return type stands on a line of its own, or a constructor is named after its class.
  const typed = /^[\w \t*&:<>,]+$/.test(previous) && /[\w*&>]$/.test(previous) && !NO_NAMES.has(previous.trim())
  return calls === 'outer' && (typed || last === OPEN_BRACE) ? name : undefined
}

const SEMICOLON = 59
const OPEN_BRACE = 123

/** In a class of JavaScript: modifiers alone may stand before the name, and a body or more parameters follow. */
function isMethod(before: string, last: number): boolean {
  if (
    !/^(?:(?:static|async|get|set|public|private|protected|readonly|override|abstract|declare|accessor)[ \t]+)*[*#]?$/.test(
      before,
    )
  )
    return false
  return last === OPEN_BRACE || last === 40 || last === 44 || last === 58 || /abstract|declare/.test(before)
}

function isNameUnit(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    isDigit(code) ||
    code === 95 ||
    code === 36 ||
    code > 127 ||
    code === 126 ||
    code === 58
  )
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
