import type { Sharp, SharpOptions } from 'sharp'

/** Formats that models take. */
export type ImageFormat = 'jpeg' | 'png' | 'webp'

/** What a smaller version of an image may be. */
export interface ImageLimits {
  readonly maxWidth: number
  readonly maxHeight: number
  readonly maxBytes: number
  readonly format: ImageFormat
  readonly quality: number
  readonly maxPixels: number
  readonly deadlineMs: number
}

/** Times that an image is made smaller at most, until it has few enough bytes. */
const ATTEMPTS = 4

/**
 * Make a smaller version of an image, upright and without its metadata; of an animation the first frame.
 *
 * Returns `undefined` where it would not be smaller than the image, or still has too many bytes after some attempts.
 * Rejects where the image is damaged, has too many pixels, or takes too long.
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
    // The bytes grow with the area; a little less than that makes sure that it comes to an end.
    const factor = Math.min(0.9, Math.sqrt(maxBytes / bytes.byteLength) * 0.95)
    width = info.width * factor
    height = info.height * factor
    if (performance.now() > end) throw new Error(`The image took longer than ${deadlineMs} ms to scale.`)
  }
  return undefined
}
