export { htmlPreviewer, type HtmlPreviewerOptions } from './html-previewer.ts'
export type { HtmlPreviewShares } from '../markup/html-shares.ts'
