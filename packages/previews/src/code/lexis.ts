/** Lexical rules of a language that a scanner needs to find blocks. */
export interface Lexis {
  readonly lineComments: readonly string[]
  /** Whether block comments nest; absent if the language has none. */
  readonly blockComments?: 'plain' | 'nested'
  readonly quotes: string
  /** Whether these strings continue after the end of a line. */
  readonly longStrings?: boolean
  /** Whether `'` encloses single characters only, and may stand alone, for example before lifetimes. */
  readonly characters?: boolean
  /** Meaning of backticks: text with `${}`, text without escapes, or names. */
  readonly backticks?: 'template' | 'raw' | 'name'
  /** Delimiters of strings without escapes that span lines. */
  readonly tripleQuotes?: readonly string[]
  /** `R"x( )x"`, `r#" "#`, `@" "`. */
  readonly rawStrings?: 'cpp' | 'rust' | 'csharp' | 'swift'
  /** Valid content of any round brackets, in place of a long list. Defaults to nothing. */
  readonly placeholder?: string
  readonly regularExpressions?: boolean
  /** `<<<NAME` to `NAME`. */
  readonly heredocs?: boolean
  readonly preprocessor?: boolean
  /** Whether code is between `<?php` and `?>`. */
  readonly embedded?: boolean
}

const SLASHES: Lexis = { lineComments: ['//'], blockComments: 'plain', quotes: '"' }
const JVM: Lexis = { ...SLASHES, characters: true, tripleQuotes: ['"""'] }

export type LexisName = 'ecmascript' | 'go' | 'rust' | 'java' | 'kotlin' | 'scala' | 'c' | 'csharp' | 'php' | 'swift'

export const LEXIS: Readonly<Record<LexisName, Lexis>> = {
  ecmascript: { ...SLASHES, quotes: '"\'', backticks: 'template', regularExpressions: true, placeholder: '_' },
  go: { ...SLASHES, characters: true, backticks: 'raw' },
  rust: { ...SLASHES, blockComments: 'nested', characters: true, longStrings: true, rawStrings: 'rust' },
  java: JVM,
  kotlin: { ...JVM, blockComments: 'nested', backticks: 'name' },
  scala: { ...JVM, blockComments: 'nested', backticks: 'name' },
  c: { ...SLASHES, characters: true, preprocessor: true, rawStrings: 'cpp' },
  csharp: { ...JVM, rawStrings: 'csharp', preprocessor: true },
  php: {
    ...SLASHES,
    lineComments: ['//', '#'],
    quotes: '"\'',
    longStrings: true,
    heredocs: true,
    embedded: true,
  },
  swift: { ...SLASHES, blockComments: 'nested', tripleQuotes: ['"""'], backticks: 'name', rawStrings: 'swift' },
}
