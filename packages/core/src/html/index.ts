export { htmlPreviewer, type HtmlPreviewerOptions } from './html-previewer.ts'
export type { HtmlPreviewShares } from '../preview/markup/html-shares.ts'
