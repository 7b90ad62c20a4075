/** A named definition in source code. */
export interface OutlineSymbol {
  readonly name: string
  /** What it is: `function`, `class`, `method`, `type`, `interface`, `enum`, `constant`, `module` or the like. */
  readonly kind: string
  /** The line on which the name stands, 1-based. */
  readonly line: number
  /** The last line of the definition; `line` where its end is not known. */
  readonly endLine: number
  /** How many definitions it stands in: 0 at the top, and in modules and namespaces that wrap the whole file. */
  readonly depth: number
  /** The first line or lines of the definition without its body, with runs of blanks folded. */
  readonly signature: string
}

/**
 * Finds the definitions of a file, in the order of their lines.
 *
 * @param text - The code, without line numbers before its lines.
 * @param language - As `languageOf` names it, such as `typescript`.
 * @returns `undefined` where it does not know the language.
 */
export type Outliner = (text: string, language: string) => Promise<readonly OutlineSymbol[] | undefined>
