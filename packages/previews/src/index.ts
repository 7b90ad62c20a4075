export { corePreviewers } from './core-previewers.ts'
export { definePreviewer, type PreviewerDefinition } from './define-previewer.ts'
export type {
  MediaPreview,
  MediaPreviewer,
  MediaSubject,
  PreviewCall,
  Previewer,
  PreviewOptions,
  TextPreviewer,
  TextReader,
  TextSubject,
  WritePreview,
} from './previewer.ts'
export { configPreviewer, type ConfigPreviewerOptions } from './config/config-previewer.ts'
export { diffPreviewer, type DiffPreviewerOptions } from './diff/diff-previewer.ts'
export { jsonPreviewer, ndjsonPreviewer, type JsonPreviewerOptions } from './json/json-previewer.ts'
export { markdownPreviewer, type MarkdownPreviewerOptions } from './markdown/markdown-previewer.ts'
export { MissingPeerError, type PreviewFallback } from './preview-fallback.ts'
export { htmlPreviewer } from './html/html-previewer.ts'
export { xmlPreviewer, type XmlPreviewerOptions } from './markup/xml-previewer.ts'
export { prosePreviewer, type ProsePreviewerOptions } from './prose/prose-previewer.ts'
export { previewText, type PreviewTextOptions } from './preview-text.ts'
export { logPreviewer, type LogPreviewerOptions } from './log/log-previewer.ts'
export { listingPreviewer, type ListingPreviewerOptions } from './listing/listing-previewer.ts'
export { tablePreviewer, type TablePreviewerOptions } from './table/table-previewer.ts'
export type { Outliner, OutlineSymbol } from './source/outline.ts'
export { sourcePreviewer, type SourcePreviewerOptions } from './source/source-previewer.ts'
export type { ToolIntent } from './detect/tool-intent.ts'
