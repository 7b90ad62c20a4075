import type { TextPreviewer } from '../previewer.ts'
import { sourcePreviewer, type SourcePreviewerOptions } from '../source/source-previewer.ts'
import { importPeer, locateInstalled } from '../preview-fallback.ts'
import type { Outliner } from '../source/outline.ts'
import { GrammarLoader, type LocateGrammar } from './load-grammar.ts'
import { outlineByGrammars } from './outline-by-grammars.ts'

/** What a {@link codePreviewer} is told. */
export interface CodePreviewerOptions extends GrammarOutlinerOptions, Omit<SourcePreviewerOptions, 'outline'> {}

/**
 * Make a previewer of source code that finds definitions by grammars instead of patterns.
 *
 * TypeScript, JavaScript, Python, Go, Rust, Java, C, C++, C#, PHP, Ruby and shell need the packages `web-tree-sitter` and
 * `@vscode/tree-sitter-wasm`; Swift also `@repomix/tree-sitter-wasms`, which reads C better, Kotlin `@tree-sitter-grammars/tree-sitter-kotlin`,
 * Lua `@tree-sitter-grammars/tree-sitter-lua`, Scala `tree-sitter-scala`. Code of any other language, and of these where
 * their package is not installed, is outlined by patterns. Without the first two packages an event says so,
 * once, and patterns outline the code.
 *
 * @example
 * ```ts
 * import { previewText } from '@spillway/previews'
 * import { codePreviewer } from '@spillway/previews/code'
 *
 * const text = Array.from({ length: 200 }, (_, n) => `def step_${n}(state):\n    return state + ${n}\n\n`).join('')
 * const preview = await previewText(text, {
 *   previewers: [codePreviewer()],
 *   toolName: 'read_file',
 *   input: { path: 'steps.py' },
 *   budgetTokens: 400,
 * })
 * console.assert(preview.startsWith('[Python, 600 lines'))
 * ```
 */
export function codePreviewer(options: CodePreviewerOptions = {}): TextPreviewer {
  const { locate, ...layout } = options
  // Its own name: where a package is missing, the one by patterns comes next.
  return { ...sourcePreviewer({ ...layout, outline: grammarOutliner({ locate }) }), name: 'code' }
}

/** What a {@link grammarOutliner} is told. */
interface GrammarOutlinerOptions {
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
