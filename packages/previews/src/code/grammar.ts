import type { Node } from 'web-tree-sitter'
import type { Lexis } from './lexis.ts'
import type { LineBlocks } from './fold-lines.ts'

/** How a node defines a name. */
export interface DefinitionRule {
  readonly kind: string | ((node: Node) => string)
  /** Returns the node whose text is the name; `undefined` where this one defines none. Without it, the field `name`. */
  readonly name?: (node: Node) => Node | undefined
  /** Whether it belongs to a type that is named elsewhere: a method outside of its class. */
  readonly member?: (node: Node) => boolean
  /** Whether definitions in it stand beside it, as in `typedef struct a {} b`. */
  readonly alongside?: boolean
  /** Whether it only announces what is defined elsewhere: it counts where the file has no definition of the name. */
  readonly announces?: boolean
}

/** What of a language is parsed, by which grammar, and which nodes of its trees define names. */
export interface Grammar {
  /** The package that ships the grammar, and the file in it. */
  readonly peer: GrammarPeer
  readonly file: string
  /** How code is reduced to what its outline needs. */
  readonly blocks: BraceBlocks | LineBlocks | 'suites'
  readonly definitions: Readonly<Record<string, string | DefinitionRule>>
  /** Nodes in which definitions are looked for, beside definitions, with blanks between. */
  readonly passages: string
  /** Of those, nodes whose blocks are asked for where they were left out. */
  readonly bodies: string
  /** Whether its scanner counts columns, which costs the square of the length of a line. */
  readonly columns?: boolean
  /** What takes its place where its package is not installed. */
  readonly otherwise?: Grammar
  /** The grammar of code that matches the pattern, where the ending of a file does not tell them apart. */
  readonly unless?: { readonly pattern: RegExp; readonly grammar: Grammar }
}

/** How blocks in braces are told. */
export interface BraceBlocks {
  readonly lexis: Lexis
  /** Tested on what stands before a block: those that hold definitions are kept. */
  readonly opens: RegExp
}

/** The packages that ship grammars. */
export type GrammarPeer =
  | '@vscode/tree-sitter-wasm'
  | '@repomix/tree-sitter-wasms'
  | '@tree-sitter-grammars/tree-sitter-kotlin'
  | '@tree-sitter-grammars/tree-sitter-lua'
  | 'tree-sitter-scala'
