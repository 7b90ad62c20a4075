export interface OutlineSymbol {
  readonly name: string
  /** Kind: `function`, `class`, `method`, `type`, `interface`, `enum`, `constant`, `module`, or similar. */
  readonly kind: string
  /** Line of the name, 1-based. */
  readonly line: number
  /** Last line of the definition; `line` if unknown. */
  readonly endLine: number
  /** Number of enclosing definitions, without modules and namespaces around the whole file. */
  readonly depth: number
}

/** Kinds whose inner definitions are local. */
export const FUNCTIONS: RegExp =
  /^(?:function|method|constructor|destructor|getter|setter|accessor|subroutine|procedure)$/

/**
 * Finds the definitions of a file, in the order of their lines.
 *
 * @param text - Code without line numbers.
 * @param language - An id of `languageOf`, for example `typescript`.
 * @returns `undefined` for an unknown language.
 */
export type Outliner = (text: string, language: string) => Promise<readonly OutlineSymbol[] | undefined>
