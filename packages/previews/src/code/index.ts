/** Source code outlined by grammars. */
export { codePreviewer, type CodePreviewerOptions } from './code-previewer.ts'
export type { LocateGrammar } from './load-grammar.ts'
