import type { Parser } from 'web-tree-sitter'
import { importPeer, MissingPeerError } from '../preview-fallback.ts'
import { planSearch, type SearchPlan } from './find-definitions.ts'
import type { Grammar } from './grammar.ts'

/**
 * Find a file of a package that ships grammars.
 *
 * @param file - The package and the path in it: `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`.
 * @returns Where it is, or its bytes; `undefined` where the package is not installed.
 */
export type LocateGrammar = (file: string) => URL | string | Uint8Array | undefined

/** A grammar that is ready to parse. */
export interface LoadedGrammar {
  readonly parser: Parser
  readonly plan: SearchPlan
}

/** Find a file as an import would; runtimes that cannot tell have none. */
export function locateInstalled(file: string): URL | undefined {
  try {
    return new URL(import.meta.resolve(file))
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Loads each grammar once, when it is needed first. */
export class GrammarLoader {
  readonly #locate: LocateGrammar
  readonly #loaded = new Map<Grammar, Promise<LoadedGrammar | undefined>>()

  constructor(locate: LocateGrammar) {
    this.#locate = locate
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
    const { Language, Parser } = await importPeer('web-tree-sitter', () => import('web-tree-sitter'))
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
