import { perSubject } from '@spillway/text/internal'
import type { Language, Parser } from 'web-tree-sitter'
import { MissingPeerError } from '../preview-fallback.ts'
import { planSearch, type SearchPlan } from './find-definitions.ts'
import type { Grammar } from './grammar.ts'

/**
 * Finds a file of a package with grammars.
 *
 * @param file - Package and path: `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`.
 * @returns Address, path, or bytes of the file. `undefined` if the package is not installed.
 */
export type LocateGrammar = (file: string) => URL | string | Uint8Array | undefined

export interface TreeSitter {
  readonly Language: typeof Language
  readonly Parser: typeof Parser
}

export interface LoadedGrammar {
  readonly parser: Parser
  readonly plan: SearchPlan
}

export class GrammarLoader {
  readonly #locate: LocateGrammar
  readonly #loadParser: () => Promise<TreeSitter>

  constructor(locate: LocateGrammar, loadParser: () => Promise<TreeSitter>) {
    this.#locate = locate
    this.#loadParser = loadParser
  }

  /**
   * Returns `undefined` if the grammar's package is not installed.
   *
   * @throws MissingPeerError if no grammar can be loaded.
   */
  readonly load: (grammar: Grammar) => Promise<LoadedGrammar | undefined> = perSubject(async (grammar) => {
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
  })
}

const MAIN_PEER = '@vscode/tree-sitter-wasm'
