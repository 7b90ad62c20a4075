import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { MediaBlock } from '@spillway/text/internal'
import type { MediaPreview, MediaSubject } from '../previewer.ts'
import { imagePreviewer, type ScaledImageOptions } from './image-previewer.ts'

/** An image of random pixels, which no format can compress. */
async function noise(width: number, height: number): Promise<Uint8Array> {
  let state = 1
  const raw = Uint8Array.from({ length: width * height * 3 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state >> 16
  })
  const image = sharp(raw, { raw: { width, height, channels: 3 } })
  return new Uint8Array(await image.png().toBuffer())
}

async function read(data: Uint8Array, scale?: ScaledImageOptions, mediaType = 'image/png'): Promise<MediaPreview> {
  const intent = { paths: [], words: [] }
  const subject: MediaSubject = { toolName: 't', input: {}, intent, type: 'image', mediaType, size: data.length }
  const preview = await imagePreviewer({ scale }).read(data, subject)
  if (preview === undefined) throw new Error('expected a preview')
  return preview
}

async function scaledOf({ blocks = [] }: MediaPreview): Promise<{ block: MediaBlock; width: number; height: number }> {
  const [block] = blocks
  if (block?.type !== 'image' || block.data === undefined) throw new Error('expected an image')
  const { width, height } = await sharp(block.data).metadata()
  return { block, width, height }
}

test('an image preview has the dimensions, and a smaller version only on request', async () => {
  expect(await read(await noise(300, 200))).toEqual({ description: '300 × 200' })
})

test('a smaller version is within the limits and has the same proportions and format', async () => {
  const data = await noise(600, 300)
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const preview = await read(data, { maxWidth: 200, maxHeight: 200, format })
    const { block, width, height } = await scaledOf(preview)
    expect(preview.description).toBe('600 × 300')
    expect([width, height]).toEqual([200, 100])
    expect(block.mediaType).toBe(`image/${format}`)
  }
})

test('a smaller version is reduced until its size is within the limit', async () => {
  const { block, width } = await scaledOf(await read(await noise(900, 900), { maxBytes: 20_000 }))
  expect(block.data?.byteLength).toBeLessThanOrEqual(20_000)
  expect(width).toBeGreaterThan(50)
})

test('a version that is larger in bytes than the image is left out', async () => {
  const small = new Uint8Array(
    await sharp(await noise(64, 64))
      .webp({ quality: 5 })
      .toBuffer(),
  )
  expect(await read(small, { quality: 100 }, 'image/webp')).toEqual({ description: '64 × 64' })
})

test('a version never has more pixels than the image', async () => {
  const { width, height } = await scaledOf(await read(await noise(120, 80), { maxWidth: 4_000, maxHeight: 4_000 }))
  expect([width, height]).toEqual([120, 80])
})

test('a smaller version of a photograph is upright, and has no location or time', async () => {
  const turned = await sharp(await noise(400, 200))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { block, width, height } = await scaledOf(await read(new Uint8Array(turned), { maxWidth: 100 }, 'image/jpeg'))
  expect([width, height]).toEqual([100, 200])
  const { exif, orientation } = await sharp(block.data!).metadata()
  expect({ exif, orientation }).toEqual({ exif: undefined, orientation: undefined })
})

test('a smaller version of an animation is its first frame', async () => {
  const frames = await sharp([await noise(200, 100), await noise(200, 100)], { join: { animated: true } })
    .gif()
    .toBuffer()
  const { block, width, height } = await scaledOf(await read(new Uint8Array(frames), { maxWidth: 50 }, 'image/gif'))
  expect([width, height]).toEqual([50, 25])
  expect((await sharp(block.data!).metadata()).pages ?? 1).toBe(1)
})

test('an image with too many pixels is not decoded', async () => {
  const bomb = await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  expect(bomb.byteLength).toBeLessThan(500_000)
  await expect(read(new Uint8Array(bomb), { maxPixels: 1_000_000 })).rejects.toThrow('pixel limit')
})

test('SVG and unknown formats are described but not rendered', async () => {
  const svg = new TextEncoder().encode(`<svg width="300" height="200">${'<g/>'.repeat(1_000)}</svg>`)
  expect(await read(svg, {}, 'image/svg+xml')).toEqual({ description: '300 × 200' })
  expect(await read(new Uint8Array(5_000), {})).toEqual({ description: undefined })
})

test('an image that ends early is rejected', async () => {
  const data = await noise(300, 300)
  await expect(read(data.subarray(0, data.length / 2), {})).rejects.toThrow(/png|Input|buffer/i)
})

test.each<[ScaledImageOptions, string]>([
  [{ maxWidth: 0 }, 'scale.maxWidth must be at least 1'],
  [{ maxBytes: Number.NaN }, 'scale.maxBytes must be at least 1'],
  [{ quality: 101 }, 'scale.quality must be at most 100'],
  [{ format: 'bmp' as never }, 'scale.format must be one of jpeg, png, webp'],
  [5 as never, 'scale must be an object'],
])('image options cannot be %o', (scale, message) => {
  expect(() => imagePreviewer({ scale })).toThrow(message)
})
