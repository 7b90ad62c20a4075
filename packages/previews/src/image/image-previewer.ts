import { describeMedia } from '../media/describe-media.ts'
import { mediaFormatOf } from '@spillway/text/internal'
import { importPeer } from '../preview-fallback.ts'
import type { MediaPreviewer } from '../previewer.ts'
import { scaleImage, type ImageFormat, type ImageLimits } from './scale-image.ts'

/** Limits of a smaller version of an image. See {@link ImagePreviewerOptions.scale}. */
export interface ScaledImageOptions {
  /** Largest width in pixels. Defaults to 1,024. */
  readonly maxWidth?: number | undefined
  /** Largest height in pixels. Defaults to 1,024. */
  readonly maxHeight?: number | undefined
  /** Largest size in bytes. The image is made smaller until it fits. Defaults to 262,144. */
  readonly maxBytes?: number | undefined
  /** Format. Defaults to `webp`. */
  readonly format?: ImageFormat | undefined
  /** Quality from 1 to 100. Defaults to 75. */
  readonly quality?: number | undefined
  /** Largest number of pixels in an image that is decoded. Defaults to 100,000,000. */
  readonly maxPixels?: number | undefined
  /** Time limit for scaling, in milliseconds. Defaults to 10,000. */
  readonly deadlineMs?: number | undefined
}

/** Options of {@link imagePreviewer}. */
export interface ImagePreviewerOptions {
  /** Keep a smaller version of each image in the context. Defaults to none. */
  readonly scale?: ScaledImageOptions | undefined
}

/** Formats that every build of `sharp` decodes. SVG is text and never rendered. */
const DECODED: ReadonlySet<string> = new Set(['avif', 'gif', 'jpeg', 'png', 'tiff', 'webp'])
const FORMATS: ReadonlySet<unknown> = new Set<ImageFormat>(['jpeg', 'png', 'webp'])

/**
 * Create a previewer of images. It describes their dimensions, and with `scale` adds a smaller version to the context.
 *
 * The smaller version needs the package `sharp`. The version is upright, has no metadata, and shows the first frame of
 * an animation. The version is not added if it would be larger than the image or exceed the token limit. SVG and rare
 * formats are described, but not scaled. An event reports a damaged image.
 *
 * @throws TypeError if an option is out of its range.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { imagePreviewer } from '@spillway/previews/image'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const previewers = [imagePreviewer({ scale: { maxWidth: 800, maxHeight: 800, format: 'jpeg' } })]
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage(), previewers })
 * console.assert(offloader.options.previewers[0]?.name === 'image')
 * ```
 */
export function imagePreviewer(options: ImagePreviewerOptions = {}): MediaPreviewer {
  const limits = options.scale === undefined ? undefined : resolveLimits(options.scale)
  return {
    name: 'image',
    previews: 'media',
    recognize: ({ type }) => (type === 'image' ? 0.9 : 0),
    read: async (data, { mediaType }) => {
      const description = describeMedia(data, mediaType)
      if (limits === undefined || !DECODED.has(mediaFormatOf(data)?.name ?? '')) return { description }
      const { default: sharp } = await importPeer('sharp', () => import('sharp'))
      const scaled = await scaleImage(sharp, data, limits)
      if (scaled === undefined) return { description }
      return { description, blocks: [{ type: 'image', mediaType: `image/${limits.format}`, data: scaled }] }
    },
  }
}

function resolveLimits(options: ScaledImageOptions): ImageLimits {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`scale must be an object with limits, got ${String(options)}.`)
  const { maxWidth = 1_024, maxHeight = 1_024, maxBytes = 262_144, format = 'webp', quality = 75 } = options
  const { maxPixels = 100_000_000, deadlineMs = 10_000 } = options
  for (const [name, value] of Object.entries({ maxWidth, maxHeight, maxBytes, maxPixels, deadlineMs, quality }))
    if (!(Number.isFinite(value) && value >= 1)) throw new TypeError(`scale.${name} must be at least 1, got ${value}.`)
  if (quality > 100) throw new TypeError(`scale.quality must be at most 100, got ${quality}.`)
  if (!FORMATS.has(format))
    throw new TypeError(`scale.format must be one of ${[...FORMATS].join(', ')}, got ${JSON.stringify(format)}.`)
  return { maxWidth, maxHeight, maxBytes, format, quality: Math.round(quality), maxPixels, deadlineMs }
}
