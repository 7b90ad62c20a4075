export { htmlPreviewer, type HtmlPreviewerOptions } from './html-previewer.ts'
export type { HtmlPreviewShares } from './html-shares.ts'
