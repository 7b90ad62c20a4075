/** What a scanner has to know of a language to find where its blocks begin and end. */
export interface Lexis {
  /** What starts a comment that ends with its line. */
  readonly lineComments: readonly string[]
  /** Whether comments between slash-star and star-slash stand in each other; absent where there are none. */
  readonly blockComments?: 'plain' | 'nested'
  /** Characters around strings that a backslash escapes in. */
  readonly quotes: string
  /** Whether those strings go on over the end of a line. */
  readonly longStrings?: boolean
  /** Whether `'` stands around single characters only, and may also stand alone, as before lifetimes. */
  readonly characters?: boolean
  /** What stands between backticks: text with `${}`, text without escapes, or names. */
  readonly backticks?: 'template' | 'raw' | 'name'
  /** What stands around strings without escapes that go on over lines. */
  readonly tripleQuotes?: readonly string[]
  /** `R"x( )x"`, `r#" "#`, `@" "`. */
  readonly rawStrings?: 'cpp' | 'rust' | 'csharp' | 'swift'
  /** What may stand alone in any round brackets: for the inside of a long list. Without it, empty brackets may. */
  readonly placeholder?: string
  /** Whether `/` may start a regular expression. */
  readonly regularExpressions?: boolean
  /** `<<<NAME` to `NAME`. */
  readonly heredocs?: boolean
  /** Whether lines that begin with `#` are the preprocessor's. */
  readonly preprocessor?: boolean
  /** Whether code stands between `<?php` and `?>`. */
  readonly embedded?: boolean
}

const SLASHES: Lexis = { lineComments: ['//'], blockComments: 'plain', quotes: '"' }
const JVM: Lexis = { ...SLASHES, characters: true, tripleQuotes: ['"""'] }

/** Languages whose blocks stand in braces. */
export type LexisName = 'ecmascript' | 'go' | 'rust' | 'java' | 'kotlin' | 'scala' | 'c' | 'csharp' | 'php' | 'swift'

/** The lexis of each language whose blocks stand in braces. */
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
