export { pdfPreviewer, type PdfPreviewerOptions } from './pdf-previewer.ts'
