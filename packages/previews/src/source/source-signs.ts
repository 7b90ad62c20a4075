import { perSubject } from '@spillway/text/internal'
import type { TextSubject } from '../previewer.ts'
import { languageOf } from './languages.ts'
import { cutNumber, findNumbering } from '../layout/numbered-lines.ts'
import { linesBefore } from './source-lines.ts'

export interface SourceSigns {
  readonly language: string
  /** Confidence that the text is code. */
  readonly sureness: number
  /** Whether only the lines show the language. */
  readonly isGuess?: boolean
}

/** Recognize source code by path, content type, and lines. */
export const sourceSigns: (subject: TextSubject) => SourceSigns | undefined = perSubject(findSigns)

function findSigns(subject: TextSubject): SourceSigns | undefined {
  const raw = subject.start.split('\n')
  // The last line may be cut.
  if (raw.length > 1) raw.pop()
  const numbering = findNumbering(raw)
  const first = Math.max(numbering?.from ?? 0, linesBefore(raw))
  const lines = raw.slice(first).map((line) => (numbering === undefined ? line : cutNumber(line, numbering)))
  const named =
    pathBefore(raw.slice(0, first)) ?? subject.intent.paths.find((path) => languageOf(path, '', '') !== undefined)
  const start = lines.slice(0, 1).join('')
  const declared = languageOf(undefined, subject.contentType, '')
  const told = declared ?? languageOf(named, undefined, start)
  if (told === 'yaml' || told === undefined) {
    const isTold = told === 'yaml'
    if (isYaml(lines, isTold))
      return { language: 'yaml', sureness: declared !== undefined ? 0.95 : isTold ? 0.92 : 0.75 }
    if (isTold) return undefined
  }
  const code = codeLines(lines)
  const { share } = code
  if (share < (told === undefined ? 0.7 : 0.3)) return undefined
  const language = languageOfLines(code)
  const isDocument = numbering === undefined && lines.some((line) => DOCUMENT.test(line.slice(0, 40)))
  if (told !== undefined) {
    if (isDocument && named !== undefined && subject.intent.paths.length > 1) return undefined
    const isKnown = language !== undefined
    if (!isKnown && share < 0.5) return undefined
    if (declared !== undefined) return { language: told, sureness: isKnown ? 0.95 : 0.85 }
    return { language: told, sureness: isKnown || share > 0.8 ? 0.9 : 0.75 }
  }
  if (language === undefined || isDocument) return undefined
  return { language, sureness: numbering === undefined ? 0.75 : 0.85, isGuess: true }
}

/** Matches a key, an item of a list, a comment, or the start of a document. */
const YAML_LINE = /^\s*(?:#|---|\.\.\.|- |(?:- )*["']?[\w$/.@~-][^\s:#"',;=(]*["']? ?:(?: [^=;]*)?$)/
/** Matches a key whose value is on the lines below. */
const YAML_PARENT = /^( *)(?:- )*[\w$/.@~-][^\s:#"',;=(]*:$/
/** Matches the first line below such a key, without the key's indentation. */
const YAML_CHILD = /^(?: +|- )\S/
const LEAST_PARENTS = 2

/** Whether almost all lines are YAML. Some keys must have nested keys, which the headers of a mail do not have. */
function isYaml(lines: readonly string[], isTold: boolean): boolean {
  const filled = lines.slice(0, MOST_LINES).map((line) => line.slice(0, MOST_UNITS).trimEnd())
  const own = filled.filter((line) => line !== '')
  const share = (): number => own.filter((line) => YAML_LINE.test(line)).length / own.length
  if (isTold) return share() >= 0.6
  const parents = filled.filter((line, index) => {
    const indent = YAML_PARENT.exec(line)?.[1]
    const next = filled[index + 1] ?? ''
    return indent !== undefined && next.startsWith(indent) && YAML_CHILD.test(next.slice(indent.length))
  })
  if (parents.length < LEAST_PARENTS || own.some((line) => line.startsWith('\t') || OUTPUT.test(line))) return false
  return share() >= 0.95
}

/** Matches Markdown fences and HTML tags of documents that contain code. */
const DOCUMENT = /^(?:```|~~~|<!doctype|\s*<(?:html|head|body|div|\?xml)\b)/i

/** Finds a path that a tool wrote before numbered lines. */
function pathBefore(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const path = /[\w./\\@~+-]{1,200}\.\w{1,8}(?=["'>:)\]]|\s|$)/.exec(line.slice(0, 400))?.[0]
    if (path !== undefined && languageOf(path, undefined, '') !== undefined) return path
  }
  return undefined
}

/** Starts or ends of lines that occur in few languages. */
const TELLING: readonly (readonly [language: string, pattern: RegExp])[] = [
  [
    'python',
    /^\s*(?:async )?def \w+\(.*[:,(]\s*$|^\s*def \w+\(.*\) ?-> .*:$|^\s*class \w+(?:\(.*\))?:$|^\s*from [\w.]+ import [\w(*]|^import [\w.]+(?: as \w+)?$|^if __name__ ==/,
  ],
  [
    'typescript',
    /^(?:import|export) type\b|^(?:export )?(?:declare )?(?:interface \w+.*\{$|type \w+(?:<.*>)? =|enum \w+ \{$)|^\s*(?:private|public|protected) (?:readonly )?\w+[?!]?: |^\s*(?:export )?(?:async )?function \w+.*\): .*\{$/,
  ],
  [
    'javascript',
    /^import .* from ['"]|^export (?:default|const|function|class|async)\b|^(?:const|let|var) .{1,80} = require\(|^\s*(?:async )?function \w+\(.*\{$|^\s*(?:const|let) [\w{[].* = .*;$|^module\.exports\b/,
  ],
  [
    'go',
    /^package \w+$|^func (?:\(\w+ [*\w.]+\) )?\w+[([].*\{$|^type \w+ (?:struct|interface) \{$|^import \($|^\t+(?:if err != nil|\w+(?:, \w+)* := )/,
  ],
  [
    'rust',
    /^\s*(?:pub(?:\(\w+\))? )?(?:async )?(?:fn \w+[<(]|struct \w+|enum \w+|trait \w+|mod \w+)|^\s*impl\b.*\{$|^\s*(?:pub )?use [\w:]+::|^\s*let mut \w|^#\[\w+/,
  ],
  ['java', /^package [\w.]+;$|^import (?:static )?[\w.*]+;$|^\s*(?:public|private|protected) .*[{;,(]$|^\s*@Override$/],
  ['csharp', /^using [\w.]+;$|^namespace [\w.]+|^\s*(?:public|private|protected|internal) .*(?:[{;]|\{ get;.*|\))$/],
  [
    'cpp',
    /^#include <\w+>|^(?:namespace|template ?<).*|^\s*(?:public|private|protected):$|^[\w:<>*& ]+ \w+::~?\w+\(|\bstd::\w/,
  ],
  [
    'c',
    /^#include [<"][\w./-]+\.h[">]|^#(?:define|ifdef|ifndef|endif|if)\b|^(?:static |extern )?(?:const )?(?:struct )?(?!\d)\w+ \*?\w+\(.*[){,]$|^typedef (?:struct|enum)\b/,
  ],
  [
    'php',
    /^<\?php|^\s*(?:public|private|protected) (?:static )?function \w+\(|^namespace [\w\\]+;$|^use \w+\\[\w\\]+;$|^\s*\$\w+(?:->\w+)* = .*;$/,
  ],
  [
    'ruby',
    /^\s*def (?:self\.)?\w+[?!]?(?:\(.*\))?$|^\s*class [A-Z][\w:]*(?: < .*)?$|^\s*module [A-Z][\w:]*$|^require(?:_relative)? ['"]|^\s*attr_\w+ :/,
  ],
  [
    'elixir',
    /^\s*defmodule [\w.]+ do$|^\s*defp? \w+.*(?: do|, do: .*)$|^\s*alias [A-Z][\w.]*|^\s*@(?:moduledoc|doc|spec)\b|^\s*\|> \w/,
  ],
  [
    'kotlin',
    /^\s*(?:(?:override|private|internal|suspend|open) )*fun (?:<.*> )?[\w.]+\(|^\s*(?:data|sealed) class \w|^\s*(?:override )?val \w+(?:: \w+)? (?:=|by|get)/,
  ],
  [
    'swift',
    /^import (?:Foundation|UIKit|SwiftUI|[A-Z]\w+)$|^\s*(?:(?:private|public|static|override|mutating) )*func \w+.*\{$|^\s*(?:guard|if) let \w|^\s*(?:struct|extension|protocol) \w+.*\{$/,
  ],
  [
    'scala',
    /^\s*(?:case )?(?:class|object|trait) \w+.*|^\s*(?:override )?def \w+.*=(?: \{)?$|^import [\w.]+\.(?:_|\{.*\})$/,
  ],
  ['lua', /^local \w+ = require|^\s*(?:local )?function [\w.:]+\(.*\)$|^\s*local \w+ = |^\s*(?:if .* then|end,?)$/],
]

/** Matches lines that are rare in code: times, levels, prompts, stack frames, diff hunks, and revisions before lines. */
const OUTPUT =
  /^\W{0,3}\d{2,4}[-:/.]\d\d[-:/.]|^\s*(?:\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE)\b|File "|at [\w.$<>]+[ (]|[+>$%] )|^[\w./\\-]+:\d+(?::\d+)?:|^\d+[:-]|^(?:@@ |[*=-]{5}|diff --git |[-+]{3} [ab/])|^(?:\^?[\da-f]{7,40} | *(?!case )(?:[\w.@-]+ +\d+|[\da-f]{12}):(?: |$))/

const CODE_END = /[{};,([:\\]$|^\s*[)}\]]|\)$|=>$/
const CODE_START =
  /^\s*(?:\/\/|\/\*|\*|#|--|@\w|<\/?[a-zA-Z]|import\b|from\b|use\b|using\b|package\b|return\b|if\b|else\b|for\b|while\b|def\b|class\b|func\b|fn\b|fun\b|let\b|const\b|var\b|val\b|end\b|do\b|case\b|when\b|with\b|try\b|raise\b|public\b|private\b|static\b|module\b|alias\b|type\b|sub\b|my\b|\||'|"|:|\()/
const ASSIGNMENT = /^\s*[\w.@$[\]'":]+ ?(?::?=|<-|=>|:|\+=) ?\S|\w\([^()]*\)/

/** Largest number of lines to read, and of UTF-16 units in a line. */
const MOST_LINES = 240
const MOST_UNITS = 160
const LEAST_TELLING = 3

/** Returns the share of lines that look like code, and the lines that can show the language. */
function codeLines(lines: readonly string[]) {
  const telling: string[] = []
  let filled = 0
  let like = 0
  let quoted = false
  for (const whole of lines.slice(0, MOST_LINES)) {
    const line = whole.slice(0, MOST_UNITS).trimEnd()
    // Documentation in triple quotes is prose.
    const quotes = line.split('"""').length - 1
    const inside = quoted && quotes === 0
    if (quotes % 2 === 1) quoted = !quoted
    if (line === '' || inside) continue
    filled++
    if (OUTPUT.test(line)) {
      like--
      continue
    }
    if (CODE_END.test(line) || CODE_START.test(line) || ASSIGNMENT.test(line)) like++
    // A line that starts like JSON is not compared, unless it contains `std::`.
    if (!/^\s*["{}[\]]/.test(line) || line.includes('std::')) telling.push(line)
  }
  return { share: filled === 0 ? 0 : Math.max(0, like) / filled, filled, telling }
}

/** Returns the language if at least three lines show it. */
function languageOfLines({ filled, telling }: ReturnType<typeof codeLines>): string | undefined {
  const votes = new Map<string, number>()
  for (const line of telling) {
    for (const [language, pattern] of TELLING) {
      if (pattern.test(line)) votes.set(language, (votes.get(language) ?? 0) + 1)
    }
  }
  let language: string | undefined
  let most = Math.max(LEAST_TELLING, filled * 0.02) - 1
  for (const [name, count] of votes) {
    if (count > most) {
      language = name
      most = count
    }
  }
  return language
}
