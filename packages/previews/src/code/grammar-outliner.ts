import { locateInstalled } from '../installed-peer.ts'
import { importPeer } from '../preview-fallback.ts'
import type { Outliner } from '../source/outline.ts'
import { GrammarLoader, type LocateGrammar } from './load-grammar.ts'
import { outlineByGrammars } from './outline-by-grammars.ts'

/** What a {@link grammarOutliner} is told. */
export interface GrammarOutlinerOptions {
  /**
   * Finds a file of a package that ships grammars, such as `@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm`: its
   * address, its path or its bytes. Defaults to what `import.meta.resolve` says, which Node.js, Bun and Deno have; where
   * files are served, say where.
   */
  readonly locate?: LocateGrammar | undefined
}

/**
 * Make an {@link Outliner} that finds definitions by the grammars of tree-sitter.
 *
 * @throws MissingPeerError from the outliner, where `web-tree-sitter` or `@vscode/tree-sitter-wasm` is not installed. A
 * grammar from another package that is not installed counts as a language that it does not know.
 */
export function grammarOutliner(options: GrammarOutlinerOptions = {}): Outliner {
  const { locate = locateInstalled } = options
  if (typeof locate !== 'function') throw new TypeError('`locate` must be a function that finds the file of a grammar.')
  return outlineByGrammars(
    new GrammarLoader(locate, () => importPeer('web-tree-sitter', () => import('web-tree-sitter'))),
  )
}
