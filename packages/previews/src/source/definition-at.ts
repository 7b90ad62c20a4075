import { escapeExpression, perSubject } from '@spillway/text/internal'
import type { CodeLines } from './code-lines.ts'
import type { DefinitionRules } from './definition-rules.ts'
import { wordHashes } from './word-hash.ts'
import { isDigit } from '../layout/numbered-lines.ts'

export interface Definition {
  readonly name: string
  readonly kind: string
}

/** Kind of a function that is declared here but defined elsewhere. */
export const DECLARATION = 'declaration'

/** Length of the examined part of a line, in UTF-16 units. */
const LONGEST = 240

/** Kinds of definitions that contain methods. Inside other definitions, a name before `(` is a call. */
const HOLDS_METHODS: ReadonlySet<string> = new Set(
  'class struct interface enum record union module trait annotation extension implementation'.split(' '),
)
/** Words before `(` that are never the name of a definition. */
const NO_NAMES: ReadonlySet<string> = new Set(
  (
    'if for while switch catch return sizeof new throw else do typeof await yield case assert defined foreach using ' +
    'lock fixed when with super this synchronized function alignof decltype noexcept static_assert elif elsif unless until defer'
  ).split(' '),
)

export interface DefinitionMatcher {
  readonly keyword: RegExp | undefined
  readonly kinds: ReadonlyMap<string, string>
  /** Hashes of the first words of lines in which a keyword may define a name. */
  readonly starts: ReadonlySet<number>
  readonly forms: readonly FormMatcher[]
  readonly calls: DefinitionRules['calls']
}

interface FormMatcher {
  readonly pattern: RegExp
  readonly kind: string
  readonly atMargin: boolean
  readonly starts: ReadonlySet<number> | undefined
}

export const definitionMatcher: (rules: DefinitionRules) => DefinitionMatcher = perSubject((rules) => {
  const words = rules.keywords
    .split(' ')
    .filter(Boolean)
    .map((each) => each.split('=') as [string, string?])
  const kinds = new Map(words.map(([word, kind = word]) => [word, kind]))
  const modifiers = rules.modifiers === undefined ? '' : `(?:(?:${escaped(rules.modifiers.split(' '))})[ \\t]+)*`
  const name = rules.name ?? String.raw`[\p{L}_]\w*`
  const keyword = `${modifiers}(${escaped([...kinds.keys()])})[ \\t]+${rules.between ?? ''}(${name})`
  return {
    keyword: kinds.size === 0 ? undefined : new RegExp(keyword, 'uy'),
    kinds,
    starts: wordHashes([...kinds.keys(), rules.modifiers ?? ''].join(' ')),
    forms: (rules.forms ?? []).map(([pattern, kind, where]) => ({
      pattern,
      kind,
      atMargin: where === '^',
      starts: where === undefined || where === '^' ? undefined : wordHashes(where),
    })),
    calls: rules.calls,
  }
})

/**
 * @param previous - Index of the previous line of code, or -1. In C, this line may be a return type.
 * @param inside - The enclosing definition.
 */
export function definitionAt(
  code: CodeLines,
  index: number,
  previous: number,
  inside: Definition | undefined,
  matcher: DefinitionMatcher,
): Definition | undefined {
  const word = code.words[index]!
  const byKeyword = matcher.keyword !== undefined && matcher.starts.has(word)
  // Functions in local variables are not definitions.
  const isLocal = inside?.kind === 'function' || inside?.kind === 'method'
  const byForm = !isLocal && matcher.forms.some((form) => fits(form, word, code.indents[index]!))
  const holds = inside !== undefined && HOLDS_METHODS.has(inside.kind)
  const byCall =
    matcher.calls !== undefined &&
    (holds || (matcher.calls === 'outer' && inside === undefined)) &&
    (holds || code.lasts[index] !== SEMICOLON || code.indents[index] === 0)
  if (!byKeyword && !byForm && !byCall) return undefined
  const line = beginning(code, index)
  if (byKeyword) {
    const { keyword, kinds } = matcher
    keyword!.lastIndex = 0
    const [, defines, name] = keyword!.exec(line) ?? []
    const isImport = defines === 'type' && line.endsWith(',')
    if (defines !== undefined && name !== undefined && !isImport && !isDeclaration(line, defines, matcher.calls))
      return { name, kind: kinds.get(defines) ?? defines }
  }
  if (byForm) {
    for (const form of matcher.forms) {
      if (!fits(form, word, code.indents[index]!)) continue
      form.pattern.lastIndex = 0
      const names = form.pattern.exec(line)
      if (names !== null) return { name: names.slice(1).join('.'), kind: form.kind }
    }
  }
  if (!byCall) return undefined
  const name = nameBeforeParameters(
    line,
    () => (previous < 0 ? '' : beginning(code, previous)),
    matcher.calls,
    holds ? inside.name : undefined,
  )
  if (name === undefined) return undefined
  return { name, kind: holds ? 'method' : code.lasts[index] === SEMICOLON ? DECLARATION : 'function' }
}

function fits({ starts, atMargin }: FormMatcher, word: number, indent: number): boolean {
  return starts === undefined ? !atMargin || indent === 0 : starts.has(word)
}

function beginning({ source }: CodeLines, index: number): string {
  const begin = source.begins[index]!
  return source.text.slice(begin, Math.min(source.ends[index]!, begin + LONGEST)).trimStart()
}

/** Joins words for a pattern. Longer words come first, so that a shorter prefix does not hide them. */
function escaped(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map(escapeExpression)
    .join('|')
}

/** Whether a line uses a type of C without defining it, as in `struct point p;` and `struct point *find(…)`. */
function isDeclaration(line: string, word: string, calls: DefinitionRules['calls']): boolean {
  if (calls !== 'outer' || !/^(?:class|struct|union|enum)$/.test(word)) return false
  return /;\s*$/.test(line) || /^[^:{]*[(=]/.test(line) || /\b(?:struct|union|enum|class)[ \t]+\w+[ \t]*\*/.test(line)
}

function nameBeforeParameters(
  line: string,
  previous: () => string,
  calls: 'outer' | 'typed' | 'bare',
  holder: string | undefined,
): string | undefined {
  const open = line.indexOf('(')
  // A C macro is not a function.
  if (open < 0 || /^(?:#\s*\w+\s|[:,])/.test(line)) return undefined
  let end = open
  while (end > 0 && line.charCodeAt(end - 1) === 32) end--
  if (calls === 'bare' && line.charCodeAt(end - 1) === 62) end = Math.max(0, line.lastIndexOf('<', end))
  let from = end
  while (from > 0 && isNameUnit(line.charCodeAt(from - 1))) from--
  const qualified = line.slice(from, end)
  const name = (calls === 'bare' && line[from - 1] === '#' ? '#' : '') + qualified.slice(qualified.lastIndexOf(':') + 1)
  if (name === '' || name === 'operator' || NO_NAMES.has(name) || isDigit(name.charCodeAt(0))) return undefined
  const before = line.slice(0, from)
  if (/[=.!?"'`+\-/|;{}]|^(?:return|new|throw|else|case|goto|await|yield|delete|package|import|using)\b/.test(before))
    return undefined
  const ended = line.trimEnd()
  const last = ended.charCodeAt(ended.length - 1)
  if (calls === 'bare') return isMethod(before, last) ? name : undefined
  const isDeclared = calls === 'outer' && (holder !== undefined || before !== '')
  if (last === SEMICOLON && !isDeclared && !/\b(?:abstract|native)\b/.test(ended)) return undefined
  if (holder !== undefined && name.replace(/^~/, '') === holder) return name
  if (before !== '' || (qualified !== name && calls === 'outer')) return name
  // The return type is on a separate line, or a constructor has the name of its class.
  if (calls !== 'outer') return undefined
  const type = previous().trimEnd()
  const isTyped = /^[\w \t*&:<>,]+$/.test(type) && /[\w*&>]$/.test(type) && !NO_NAMES.has(type)
  return isTyped || last === OPEN_BRACE ? name : undefined
}

const SEMICOLON = 59
const OPEN_BRACE = 123

/** Whether a line defines a JavaScript method: only modifiers precede the name, and a body or parameters follow. */
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
