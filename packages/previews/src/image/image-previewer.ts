import { describeMedia } from '../media/describe-media.ts'
import { mediaFormatOf } from '@spillway/text/internal'
import { importPeer } from '../preview-fallback.ts'
import type { MediaPreviewer } from '../previewer.ts'
import { scaleImage, type ImageFormat, type ImageLimits } from './scale-image.ts'

/** What a smaller version of an image may be; see {@link ImagePreviewerOptions.scale}. */
export interface ScaledImageOptions {
  /** Pixels. Defaults to 1,024. */
  readonly maxWidth?: number | undefined
  /** Pixels. Defaults to 1,024. */
  readonly maxHeight?: number | undefined
  /** Bytes; the image is made smaller until it has no more. Defaults to 262,144. */
  readonly maxBytes?: number | undefined
  /** Defaults to `webp`. */
  readonly format?: ImageFormat | undefined
  /** From 1 to 100. Defaults to 75. */
  readonly quality?: number | undefined
  /** Images with more pixels are not decoded, however few bytes they have. Defaults to 100,000,000. */
  readonly maxPixels?: number | undefined
  /** Milliseconds that scaling may take. Defaults to 10,000. */
  readonly deadlineMs?: number | undefined
}

/** Options of {@link imagePreviewer}. */
export interface ImagePreviewerOptions {
  /** Keep a smaller version of each image in the context, beside the replacement. Without it there is none. */
  readonly scale?: ScaledImageOptions | undefined
}

/** Formats that the peer decodes in every build, by names of their bytes. SVG is text, and runs through no renderer. */
const DECODED: ReadonlySet<string> = new Set(['avif', 'gif', 'jpeg', 'png', 'tiff', 'webp'])
const FORMATS: ReadonlySet<unknown> = new Set<ImageFormat>(['jpeg', 'png', 'webp'])

/**
 * Make a previewer of images: it says their dimensions, and with `scale` adds a smaller version that stays in the context.
 *
 * The smaller version needs the package `sharp`. It is upright, has no metadata, shows the first frame of an animation,
 * and is never larger than the image: where it would be, or has too many tokens for the limit of results, there is none.
 * SVG and formats that only some systems decode are described alone. Of a damaged image an event tells what is wrong.
 *
 * @throws TypeError where an option is out of its range.
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
    read: async (data, { mediaType, size }) => {
      const description = describeMedia(data, mediaType, size)
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
