import type { Language, Parser } from 'web-tree-sitter'
import { MissingPeerError } from '../preview-fallback.ts'
import { planSearch, type SearchPlan } from './find-definitions.ts'
import type { Grammar } from './grammar.ts'

/**
 * Find a file of a package that ships grammars.
 *
 * @param file - The package and the path in it: `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`.
 * @returns Where it is, or its bytes; `undefined` where the package is not installed.
 */
export type LocateGrammar = (file: string) => URL | string | Uint8Array | undefined

/** What is used of the package web-tree-sitter. */
export interface TreeSitter {
  readonly Language: typeof Language
  readonly Parser: typeof Parser
}

/** A grammar that is ready to parse. */
export interface LoadedGrammar {
  readonly parser: Parser
  readonly plan: SearchPlan
}

/** Loads each grammar once, when it is needed first. */
export class GrammarLoader {
  readonly #locate: LocateGrammar
  readonly #loadParser: () => Promise<TreeSitter>
  readonly #loaded = new Map<Grammar, Promise<LoadedGrammar | undefined>>()

  /** @param loadParser - Imports `web-tree-sitter`. */
  constructor(locate: LocateGrammar, loadParser: () => Promise<TreeSitter>) {
    this.#locate = locate
    this.#loadParser = loadParser
  }

  /**
   * Return a grammar; `undefined` where the package that ships it is not installed.
   *
   * @throws MissingPeerError where no grammar can be loaded at all.
   */
  load(grammar: Grammar): Promise<LoadedGrammar | undefined> {
    const known = this.#loaded.get(grammar)
    if (known !== undefined) return known
    const loading = this.#load(grammar)
    this.#loaded.set(grammar, loading)
    return loading
  }

  async #load(grammar: Grammar): Promise<LoadedGrammar | undefined> {
    const { Language, Parser } = await this.#loadParser()
    const file = this.#locate(`${grammar.peer}/${grammar.file}`)
    if (file === undefined) {
      if (grammar.peer === MAIN_PEER) throw new MissingPeerError(MAIN_PEER)
      return undefined
    }
    await Parser.init()
    const language = await Language.load(file)
    const parser = new Parser()
    parser.setLanguage(language)
    return { parser, plan: planSearch(language, grammar) }
  }
}

/** The package with the grammars of most languages. */
const MAIN_PEER = '@vscode/tree-sitter-wasm'
