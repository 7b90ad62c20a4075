export { htmlPreviewer, type HtmlPreviewerOptions } from './html-previewer.ts'
