import type { TextPreviewer } from '../previewer.ts'
import { sourcePreviewer } from '../source/source-previewer.ts'
import { importPeer, locateInstalled } from '../preview-fallback.ts'
import type { Outliner } from '../source/outline.ts'
import { GrammarLoader, type LocateGrammar } from './load-grammar.ts'
import { outlineByGrammars } from './outline-by-grammars.ts'

/** Options of {@link codePreviewer}. */
export interface CodePreviewerOptions {
  /** Return the address, path, or bytes of a grammar file. Defaults to `import.meta.resolve`. */
  readonly locate?: LocateGrammar | undefined
}

/**
 * Create a previewer of source code that finds definitions with grammars instead of patterns.
 *
 * TypeScript, JavaScript, Python, Go, Rust, Java, C, C++, C#, PHP, Ruby, and shell need the packages `web-tree-sitter`
 * and `@vscode/tree-sitter-wasm`. Some languages need one more package.
 *
 * - Swift, and a better grammar for C: `@repomix/tree-sitter-wasms`
 * - Kotlin: `@tree-sitter-grammars/tree-sitter-kotlin`
 * - Lua: `@tree-sitter-grammars/tree-sitter-lua`
 * - Scala: `tree-sitter-scala`
 *
 * Languages without an installed grammar are outlined with patterns. If one of the first two packages is missing, an
 * event reports this package once.
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
  // The name differs from `source`, so that the previewer by patterns is next if a package is missing.
  return { ...sourcePreviewer(grammarOutliner(options.locate)), name: 'code' }
}

/**
 * @throws MissingPeerError from the outliner, if `web-tree-sitter` or `@vscode/tree-sitter-wasm` is not installed. If
 * another package is missing, patterns outline the languages of that package.
 */
export function grammarOutliner(locate: LocateGrammar = locateInstalled): Outliner {
  if (typeof locate !== 'function') throw new TypeError('`locate` must be a function that finds the file of a grammar.')
  return outlineByGrammars(
    new GrammarLoader(locate, () => importPeer('web-tree-sitter', () => import('web-tree-sitter'))),
  )
}
