import type { ContentBlock, MediaBlock } from '@spillway/core'

/** A log of about 10 KB and 3,800 tokens. Each line has another number, and only line 57 has `status=FAILED`. */
export const LOG: string = log('main')

/** Write a log like {@link LOG} for another part of a system. Its lines have about 160 characters and 60 tokens. */
export function log(name: string, lines = 64): string {
  return Array.from({ length: lines }, (_, index) => {
    const ms = index % 97
    const status = index === 56 ? 'status=FAILED' : 'status=done'
    const rows = `read ${index * 8} rows in ${ms % 7} ms and sent ${index * 4} rows in ${ms % 11} ms`
    const memory = `freed ${index * 2} of ${index * 3} KB`
    const queue = `${ms % 13} waiting and ${ms % 5} retried of ${ms % 3} refused in queue ${ms % 17} of pool ${ms % 19}`
    return `line ${index + 1} of ${name}: ${status} in ${ms} ms: ${rows} and ${memory} with ${queue}`
  }).join('\n')
}

/** A text of over 80,000 characters, which some frameworks move to a file. The last line names the failure. */
export const HUGE: string = [
  ...Array.from(
    { length: 800 },
    (_, index) => `step ${index + 1} of the build went well, ${'as before, '.repeat(10)}and is done`,
  ),
  'FATAL: no space left on device',
].join('\n')

/** A JSON value of about 12 KB. Only user 134 has the role `owner`. */
export const USERS: readonly Readonly<Record<string, unknown>>[] = Array.from({ length: 240 }, (_, id) => ({
  id,
  name: `user ${id}`,
  role: id === 134 ? 'owner' : 'member',
}))

/** Sizes of media over {@link MEDIA_LIMIT}, and in Base64 over 80,000 characters, which some frameworks move to a file. */
export const LARGE_BYTES = { image: 240_000, audio: 240_000, document: 66_000 } as const

/** Options that limit results to 500 tokens. */
export const MEDIA_LIMIT = { maxResultTokens: 500, previewTokens: 200 } as const

/** Create a block of media. Its bytes begin like a file of its type. */
export function media(type: 'image' | 'audio' | 'document', size: number): MediaBlock & { readonly data: Uint8Array } {
  const [mediaType, start] = FORMATS[type]
  const data = new Uint8Array(size)
  for (let index = 0; index < size; index += 1) data[index] = (index * 2_654_435_761) >>> 13
  data.set(start)
  return { type, mediaType, data }
}

const FORMATS = {
  image: ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  audio: ['audio/wav', [0x52, 0x49, 0x46, 0x46, 0x24, 0x08, 0x00, 0x00, 0x57, 0x41, 0x56, 0x45]],
  document: ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37, 0x0a]],
} as const

/** Create a block of text. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}

/** Create a block of a text file, for example of an embedded resource. */
export function file(name: string, mediaType: string, value: string): ContentBlock {
  return { type: 'text', text: value, name, mediaType }
}

/** Create a block of JSON. */
export function json(value: unknown): ContentBlock {
  return { type: 'json', value }
}
