export { corePreviewers } from './core-previewers.ts'
export { definePreviewer, type PreviewerDefinition } from './define-previewer.ts'
export { mediaPreviewer } from './media/media-previewer.ts'
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
export { configPreviewer, type ConfigPreviewerOptions, type ConfigPreviewShares } from './config/config-previewer.ts'
export { diffPreviewer, type DiffPreviewerOptions, type DiffPreviewShares } from './diff/diff-previewer.ts'
export { jsonPreviewer, ndjsonPreviewer, type JsonPreviewerOptions } from './json/json-previewer.ts'
export type { JsonPreviewShares } from './json/render-json-preview.ts'
export {
  markdownPreviewer,
  type MarkdownPreviewerOptions,
  type MarkdownPreviewShares,
} from './markdown/markdown-previewer.ts'
export { MissingPeerError, type PreviewFallback } from './preview-fallback.ts'
export { htmlTextPreviewer, type HtmlTextPreviewerOptions } from './markup/html-text-previewer.ts'
export type { HtmlPreviewShares } from './markup/html-shares.ts'
export { xmlPreviewer, type XmlPreviewerOptions } from './markup/xml-previewer.ts'
export type { XmlPreviewShares } from './markup/write-xml.ts'
export { prosePreviewer, type ProsePreviewerOptions, type ProsePreviewShares } from './prose/prose-previewer.ts'
export { previewText, type PreviewTextOptions } from './preview-text.ts'
export { logPreviewer, type LogPreviewerOptions } from './log/log-previewer.ts'
export type { LogPreviewShares } from './log/log-shares.ts'
export type { ListingPreviewShares } from './listing/listing-layout.ts'
export type { TablePreviewShares } from './table/table-layout.ts'
export { listingPreviewer, type ListingPreviewerOptions } from './listing/listing-previewer.ts'
export { tablePreviewer, type TablePreviewerOptions } from './table/table-previewer.ts'
export type { Outliner, OutlineSymbol } from './source/outline.ts'
export type { SourcePreviewShares } from './source/source-layout.ts'
export { sourcePreviewer, type SourcePreviewerOptions } from './source/source-previewer.ts'
export type { ToolIntent } from './detect/tool-intent.ts'
