import type { Sharp, SharpOptions } from 'sharp'

/** Image format that models accept. */
export type ImageFormat = 'jpeg' | 'png' | 'webp'

export interface ImageLimits {
  readonly maxWidth: number
  readonly maxHeight: number
  readonly maxBytes: number
  readonly format: ImageFormat
  readonly quality: number
  readonly maxPixels: number
  readonly deadlineMs: number
}

/** Number of attempts to reach `maxBytes`. */
const ATTEMPTS = 4

/**
 * Return an upright version without metadata, or `undefined` if no version is small enough. Rejects if the image is
 * damaged, has too many pixels, or takes too long.
 */
export async function scaleImage(
  sharp: (input: Uint8Array, options: SharpOptions) => Sharp,
  data: Uint8Array,
  limits: ImageLimits,
): Promise<Uint8Array | undefined> {
  const { maxBytes, format, quality, maxPixels, deadlineMs } = limits
  const end = performance.now() + deadlineMs
  let { maxWidth: width, maxHeight: height } = limits
  for (let attempt = 0; attempt < ATTEMPTS && width >= 1 && height >= 1; attempt++) {
    const seconds = Math.max(1, Math.ceil((end - performance.now()) / 1_000))
    const image = sharp(data, { limitInputPixels: maxPixels, failOn: 'error', pages: 1, sequentialRead: true })
      .rotate()
      .resize({ width: Math.floor(width), height: Math.floor(height), fit: 'inside', withoutEnlargement: true })
      .timeout({ seconds })
    const encoded = format === 'png' ? image.png({ palette: true, quality }) : image[format]({ quality })
    const { data: bytes, info } = await encoded.toBuffer({ resolveWithObject: true })
    if (bytes.byteLength <= maxBytes) return bytes.byteLength < data.byteLength ? new Uint8Array(bytes) : undefined
    // The number of bytes grows with the area. The slightly smaller factor makes the loop end.
    const factor = Math.min(0.9, Math.sqrt(maxBytes / bytes.byteLength) * 0.95)
    width = info.width * factor
    height = info.height * factor
    if (performance.now() > end) throw new Error(`The image took longer than ${deadlineMs} ms to scale.`)
  }
  return undefined
}
