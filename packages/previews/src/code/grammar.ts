import type { Node } from 'web-tree-sitter'

export interface DefinitionRule {
  readonly kind: string | ((node: Node) => string)
  /** Returns the name's node; `undefined` if the node defines no name. Defaults to the field `name`. */
  readonly name?: (node: Node) => Node | undefined
  /** Whether it belongs to a type named elsewhere, for example a method outside of its class. */
  readonly member?: (node: Node) => boolean
  /** Whether definitions inside count as siblings, as in `typedef struct a {} b`. */
  readonly alongside?: boolean
  /** Whether it only declares a name: it counts if the file does not define the name. */
  readonly announces?: boolean
}

export interface Grammar {
  readonly peer: GrammarPeer
  readonly file: string
  readonly definitions: Readonly<Record<string, string | DefinitionRule>>
  /** Nodes, besides definitions, that are searched for definitions; separated by spaces. */
  readonly passages: string
  /** Whether the scanner counts columns, which costs the square of the line length. */
  readonly columns?: boolean
  /** Replacement if the package is not installed. */
  readonly otherwise?: Grammar
  /** Another grammar for code that matches the pattern, if file extensions are ambiguous. */
  readonly unless?: { readonly pattern: RegExp; readonly grammar: Grammar }
}

export type GrammarPeer =
  | '@vscode/tree-sitter-wasm'
  | '@repomix/tree-sitter-wasms'
  | '@tree-sitter-grammars/tree-sitter-kotlin'
  | '@tree-sitter-grammars/tree-sitter-lua'
  | 'tree-sitter-scala'
