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
export { MissingPeerError, type PreviewFallback } from './preview-fallback.ts'
export { previewText, type PreviewTextOptions } from './preview-text.ts'
export type { ToolIntent } from './detect/tool-intent.ts'
