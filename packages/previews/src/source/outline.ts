export interface OutlineSymbol {
  readonly name: string
  /** Kind: `function`, `class`, `method`, `type`, `interface`, `enum`, `constant`, `module`, or similar. */
  readonly kind: string
  /** Line of the name, 1-based. */
  readonly line: number
  /** Last line of the definition. Equal to `line` if unknown. */
  readonly endLine: number
  /** Number of enclosing definitions. Modules and namespaces around the whole file are not counted. */
  readonly depth: number
}

/** Matches kinds whose inner definitions are local. */
export const FUNCTIONS: RegExp =
  /^(?:function|method|constructor|destructor|getter|setter|accessor|subroutine|procedure)$/

/**
 * Finds the definitions in a file, in the order of their lines.
 *
 * @param text - Code without line numbers.
 * @param language - An id returned by `languageOf`, for example `typescript`.
 * @returns The definitions, or `undefined` for an unknown language.
 */
export type Outliner = (
  text: string,
  language: string,
  caller?: unknown,
) => Promise<readonly OutlineSymbol[] | undefined>
