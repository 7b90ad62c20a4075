export { imagePreviewer, type ImagePreviewerOptions, type ScaledImageOptions } from './image-previewer.ts'
export type { ImageFormat } from './scale-image.ts'
