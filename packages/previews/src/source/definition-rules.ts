/**
 * A pattern, the kind of its definitions, and the first words of matching lines. `^` means lines without indentation.
 * If the words are absent, any line may match.
 */
export type DefinitionForm = readonly [pattern: RegExp, kind: string, words?: string]

export interface DefinitionRules {
  /** Keywords before a defined name. A kind that differs from its keyword follows after `=`. */
  readonly keywords: string
  /** Words that may precede the keywords. */
  readonly modifiers?: string
  /** Pattern of a name, without groups. Needed if names have characters other than letters, digits, and `_`. */
  readonly name?: string
  /** Pattern between the keyword and the name, for example for a receiver in Go. */
  readonly between?: string
  /** Other forms of definitions. Their first group is the name. They are matched at the first character of a line. */
  readonly forms?: readonly DefinitionForm[]
  /**
   * Positions of definitions without a keyword, as a name before parameters. `outer`: at the top level and in classes,
   * as in C. `typed`: in classes after a type, as in Java. `bare`: in classes, as in JavaScript.
   */
  readonly calls?: 'outer' | 'typed' | 'bare'
  readonly comment?: '//' | '#' | '--' | ';' | '%' | '"' | '!'
  /** Whether `/*` begins a block comment. */
  readonly block?: boolean
  /** Whether multi-line strings are documentation, as in Python. */
  readonly docstrings?: boolean
}

const SLASHES = { comment: '//', block: true } as const
const HASH = { comment: '#' } as const
const TYPES = 'class struct union enum namespace=module concept=type'
const ECMASCRIPT = 'export default declare async abstract const'
const JVM =
  'public private protected internal static final abstract open sealed override inline data inner value const ' +
  'suspend operator infix tailrec external companion annotation expect actual lateinit implicit lazy case transparent ' +
  'opaque given strictfp default native synchronized'

const JAVASCRIPT: DefinitionRules = {
  ...SLASHES,
  keywords: 'function function* class',
  modifiers: ECMASCRIPT,
  name: String.raw`[\p{L}_$][\w$]*`,
  calls: 'bare',
  forms: [
    [
      /(?:export[ \t]+)?(?:const|let|var)[ \t]+([\p{L}_$][\w$]*)[^=>\n]{0,120}=[ \t]*(?:async\b[ \t]*)?(?:function\b|[^=;]{0,120}=>|\([^)]{0,120}$|\(\{?$|<)/uy,
      'function',
      'export const let var',
    ],
    [
      /(?:module\.)?exports\.([\p{L}_$][\w$]*)[ \t]*=[ \t]*(?:async\b[ \t]*)?(?:function\b|\()/uy,
      'function',
      'module exports',
    ],
    [/[\p{L}_$][\w$]*\.prototype\.([\p{L}_$][\w$]*)[ \t]*=/uy, 'method', '^'],
  ],
}
const TYPESCRIPT: DefinitionRules = {
  ...JAVASCRIPT,
  keywords: 'function function* class interface enum type namespace=module module',
}
/** Kind of a line that names the definition in the line above. */
export const NAME = 'name'
const C_FAMILY: DefinitionRules = {
  ...SLASHES,
  keywords: TYPES,
  modifiers: 'typedef static extern const inline template',
  calls: 'outer',
  forms: [
    [/typedef\b[^;{}()]{0,160}?\b(\w+)[ \t]*;/uy, 'type', 'typedef'],
    [/using[ \t]+(\w+)[ \t]*=/uy, 'type', 'using'],
    [/\}[ \t]*(\w+)[ \t]*;/uy, 'type', '^'],
  ],
}

export const DEFINITION_RULES: Readonly<Record<string, DefinitionRules>> = {
  typescript: TYPESCRIPT,
  tsx: TYPESCRIPT,
  javascript: JAVASCRIPT,
  vue: TYPESCRIPT,
  svelte: TYPESCRIPT,
  python: { ...HASH, docstrings: true, keywords: 'def=function class', modifiers: 'async' },
  go: { ...SLASHES, keywords: 'func=function type', between: String.raw`(?:\([^()\n]{0,120}\)[ \t]*)?` },
  rust: {
    ...SLASHES,
    keywords: 'fn=function struct enum trait type mod=module union macro_rules!=macro',
    modifiers: 'pub pub(crate) pub(super) pub(self) async const unsafe default extern extern"C"',
    forms: [
      [/(?:unsafe[ \t]+)?impl\b[^{;\n]{0,160}?\bfor[ \t]+&?([\p{L}_]\w*)/uy, 'implementation', 'impl unsafe'],
      [/(?:unsafe[ \t]+)?impl\b(?:<[^{;\n]{0,80}?>)?[ \t]*([\p{L}_]\w*)/uy, 'implementation', 'impl unsafe'],
    ],
  },
  java: { ...SLASHES, keywords: 'class interface @interface=annotation enum record', modifiers: JVM, calls: 'typed' },
  c: C_FAMILY,
  cpp: C_FAMILY,
  objectivec: {
    ...C_FAMILY,
    forms: [
      [/[-+][ \t]*\([^)\n]{1,80}\)[ \t]*(\w+)/uy, 'method'],
      [/@(?:interface|implementation|protocol)[ \t]+(\w+)/uy, 'class'],
    ],
  },
  csharp: {
    ...SLASHES,
    keywords: 'class interface struct enum record namespace=module delegate=type',
    modifiers: `${JVM} partial readonly unsafe async virtual new extern ref file required`,
    name: String.raw`[\p{L}_][\w.]*`,
    calls: 'typed',
  },
  php: {
    ...SLASHES,
    keywords: 'function class interface trait enum namespace=module',
    modifiers: 'public private protected static final abstract readonly',
    between: '&?',
    name: String.raw`[\p{L}_][\w\\]*`,
  },
  ruby: {
    ...HASH,
    keywords: 'def=method class module',
    modifiers: 'private protected public private_class_method',
    name: String.raw`(?:self\.)?[\p{L}_][\w:]*[?!=]?`,
  },
  crystal: {
    ...HASH,
    keywords: 'def=method class module struct enum macro lib=module',
    modifiers: 'private protected abstract',
    name: String.raw`(?:self\.)?[\p{L}_][\w:]*[?!=]?`,
  },
  kotlin: {
    ...SLASHES,
    keywords: 'fun=function class interface object typealias=type',
    modifiers: `${JVM} enum fun`,
    between: String.raw`(?:<[^>\n]{0,80}>[ \t]*)?(?:[\p{L}_][\w<>?, ]{0,60}\.)?`,
  },
  swift: {
    ...SLASHES,
    keywords: 'func=function class struct enum protocol=interface extension actor=class typealias=type',
    modifiers: `${JVM} fileprivate mutating nonmutating indirect convenience required nonisolated class @objc @MainActor @discardableResult`,
    name: String.raw`[\p{L}_][\w.]*`,
  },
  scala: { ...SLASHES, keywords: 'def=function class trait object enum type', modifiers: JVM },
  groovy: {
    ...SLASHES,
    keywords: 'class interface trait enum def=function task=function',
    modifiers: JVM,
    calls: 'typed',
  },
  dart: {
    ...SLASHES,
    keywords: 'class mixin=class enum extension typedef=type',
    modifiers: `${JVM} base`,
    calls: 'outer',
  },
  bash: { ...HASH, keywords: 'function', name: String.raw`[\w:.-]+`, forms: [[/([\w:.-]+)[ \t]*\(\)/uy, 'function']] },
  lua: {
    comment: '--',
    keywords: 'function',
    modifiers: 'local',
    name: String.raw`[\p{L}_][\w.:]*`,
    forms: [[/(?:local[ \t]+)?([\p{L}_][\w.:]*)[ \t]*=[ \t]*function\b/uy, 'function']],
  },
  elixir: {
    ...HASH,
    docstrings: true,
    keywords:
      'def=function defp=function defmacro=macro defmacrop=macro defguard=function defdelegate=function defmodule=module defprotocol=interface defimpl=implementation',
    name: String.raw`[\p{L}_][\w.]*[?!]?`,
    forms: [[/(?:describe|test)[ \t]+"([^"\n]{1,120})"/uy, 'test', 'describe test']],
  },
  erlang: {
    comment: '%',
    keywords: '',
    forms: [
      [/([a-z]\w*)\([^\n]{0,200}->/uy, 'function'],
      [/-(?:record|type|opaque)\(?[ \t]*([a-z]\w*)/uy, 'type'],
      [/-module\((\w+)/uy, 'module'],
    ],
  },
  perl: { ...HASH, keywords: 'sub=function package=module', name: String.raw`[\p{L}_][\w:]*` },
  r: { ...HASH, keywords: '', forms: [[/([\p{L}.][\w.]*)[ \t]*(?:<-|=)[ \t]*function\b/uy, 'function']] },
  julia: {
    ...HASH,
    docstrings: true,
    keywords: 'function struct module macro abstract=type',
    modifiers: 'mutable abstract',
    name: String.raw`[\p{L}_][\w.!]*`,
    forms: [[/([\p{L}_][\w.!]*)\([^=\n]{0,120}\)[ \t]*=(?!=)/uy, 'function']],
  },
  haskell: {
    comment: '--',
    keywords: 'data=type newtype=type type class module',
    name: String.raw`[\p{L}_][\w.']*`,
    forms: [[/([a-z_][\w']*)[ \t]*::/uy, 'function']],
  },
  ocaml: {
    keywords: 'let=function and=function type module val=function external=function class',
    modifiers: 'rec module',
    name: String.raw`[\p{L}_][\w']*`,
  },
  fsharp: {
    comment: '//',
    keywords: 'let=function and=function type module member=method',
    modifiers: 'rec inline private static override',
    name: String.raw`(?:\w+\.)?[\p{L}_][\w']*`,
  },
  zig: {
    comment: '//',
    keywords: 'fn=function',
    modifiers: 'pub export inline extern',
    forms: [
      [/(?:pub[ \t]+)?const[ \t]+(\w+)[ \t]*=[ \t]*(?:extern |packed )?(?:struct|enum|union|error)\b/uy, 'type'],
      [/test[ \t]+"([^"\n]{1,120})"/uy, 'test'],
    ],
  },
  nim: { ...HASH, keywords: 'proc=function func=function method template macro iterator=function' },
  d: { ...C_FAMILY },
  pony: {
    ...SLASHES,
    docstrings: true,
    keywords: 'class actor=class primitive=class trait interface struct type fun=method be=method new=method',
    between: String.raw`(?:(?:box|ref|val|iso|trn|tag)[ \t]+)?`,
  },
  clojure: {
    comment: ';',
    keywords: '',
    forms: [[/\((?:def\w*|ns)[ \t]+(?:\^[^ \n]{1,60}[ \t]+)?([^\s()]{1,120})/uy, 'function']],
  },
  lisp: {
    comment: ';',
    keywords: '',
    forms: [[/\((?:def[\w-]*|define[\w-]*)[ \t]+\(?([^\s()]{1,120})/uy, 'function']],
  },
  powershell: { ...HASH, keywords: 'function filter=function class enum', name: String.raw`[\p{L}_][\w:-]*` },
  solidity: {
    ...SLASHES,
    keywords: 'contract=class interface library=class function event modifier struct enum error',
    modifiers: 'abstract',
  },
  protobuf: { ...SLASHES, keywords: 'message=type enum service=interface rpc=method' },
  graphql: {
    ...HASH,
    docstrings: true,
    keywords:
      'type interface enum input=type union=type scalar=type query=function mutation=function fragment=function',
    modifiers: 'extend',
  },
  terraform: {
    ...HASH,
    block: true,
    keywords: '',
    forms: [
      [/(?:resource|data)[ \t]+"([^"\n]{1,80})"[ \t]+"([^"\n]{1,80})"/uy, 'resource'],
      [/(module|variable|output|provider)[ \t]+"([^"\n]{1,80})"/uy, 'variable'],
    ],
  },
  sql: {
    comment: '--',
    block: true,
    keywords: '',
    forms: [
      [
        /create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:(?:temp|temporary|unique|materialized)[ \t]+)?(?:table|view|function|procedure|index|trigger|type|schema)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?["`[]?([\w.]+)/iuy,
        'definition',
      ],
    ],
  },
  makefile: { ...HASH, keywords: 'define=macro', forms: [[/([\w./%$(){}-]{1,120})[ \t]*:(?![=:])/uy, 'target']] },
  cmake: {
    ...HASH,
    keywords: '',
    forms: [[/(?:function|macro|add_executable|add_library|add_custom_target)[ \t]*\([ \t]*([\w:.-]+)/iuy, 'function']],
  },
  vim: { comment: '"', keywords: 'function function! fu=function', name: String.raw`[\w:#.<>]+` },
  fortran: {
    comment: '!',
    keywords: 'subroutine=function function module program=module',
    modifiers: 'recursive pure elemental',
  },
  pascal: {
    comment: '//',
    keywords: 'procedure=function function constructor=method destructor=method unit=module program=module',
    modifiers: 'class',
    name: String.raw`[\p{L}_][\w.]*`,
  },
  tcl: { ...HASH, keywords: 'proc=function', name: String.raw`[\w:.-]+` },
  assembly: { comment: ';', keywords: '', forms: [[/([\p{L}_.$][\w.$]*):/uy, 'label']] },
  css: {
    block: true,
    keywords: '',
    forms: [[/(@(?:media|mixin|keyframes|function|layer|supports)\b[^{;\n]{0,80})/uy, 'rule']],
  },
  nix: {
    ...HASH,
    block: true,
    keywords: '',
    forms: [[/([\p{L}_][\w.-]*)[ \t]*=[ \t]*(?:\{|\w+:|with\b|let\b)/uy, 'attribute']],
  },
  yaml: {
    ...HASH,
    keywords: '',
    forms: [[/(?:- {1,8})*(["']?[\p{L}\d_$/.@~][^\s:#"',;=]{0,120}["']?) ?:(?=\s|$)/uy, 'key']],
  },
  toml: {
    ...HASH,
    keywords: '',
    forms: [
      [/\[\[[ \t]*([^\]\n]{1,120})\]/uy, 'entry', '^'],
      [/\[[ \t]*([^\]\n]{1,120})\]/uy, 'section', '^'],
      [/name[ \t]*=[ \t]*"([^"\n]{1,120})"/uy, NAME, '^'],
    ],
  },
  ini: { comment: ';', keywords: '', forms: [[/\[([^\]\n]{1,120})\]/uy, 'section', '^']] },
  dockerfile: { ...HASH, keywords: '', forms: [[/FROM[ \t]+(\S{1,120})/iuy, 'stage']] },
}
