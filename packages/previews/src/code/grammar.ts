import type { Node } from 'web-tree-sitter'

export interface DefinitionRule {
  readonly kind: string | ((node: Node) => string)
  /** Returns the node of the name, or nothing if the node does not define a name. Defaults to the field `name`. */
  readonly name?: (node: Node) => Node | null | undefined
  /** Whether the definition is a member of a type that is defined elsewhere, for example a method outside its class. */
  readonly member?: (node: Node) => boolean
  /** Whether inner definitions count as siblings, as in `typedef struct a {} b`. */
  readonly alongside?: boolean
  /** Whether the definition only declares a name. A declaration is listed only if the file does not define the name. */
  readonly announces?: boolean
}

export interface Grammar {
  /** The package of the grammar. */
  readonly peer: string
  readonly file: string
  /** Types of nodes whose kind is their first word, such as `enum` for `enum_declaration`, separated by spaces. */
  readonly named?: string
  /** Other kinds and rules, by the type of the node. */
  readonly definitions?: Readonly<Record<string, string | DefinitionRule>>
  /** Types of other nodes that may contain definitions, separated by spaces. */
  readonly passages: string
  /** Whether the scanner counts columns. Its time then grows with the square of the line length. */
  readonly columns?: boolean
  /** Grammar to use if the package is not installed. */
  readonly otherwise?: Grammar
  /** Another grammar for code that matches the pattern, because the file extension may be ambiguous. */
  readonly unless?: { readonly pattern: RegExp; readonly grammar: Grammar }
}
