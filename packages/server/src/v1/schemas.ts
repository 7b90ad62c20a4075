import type { ContentBlock, JsonBlock, LinkBlock, MediaBlock, TextBlock, UnknownBlock } from '@spillway/core'
import { encodeBase64, mediaFromData, mediaFromUrl } from '@spillway/core/adapter'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'

export const failureSchema: z.ZodType = z
  .object({
    error: z.object({
      code: z.string().meta({
        description:
          'Stable, for programs. Causes and fixes: https://github.com/spillway-js/spillway/blob/main/docs/errors.md',
      }),
      message: z.string().meta({ description: 'The error and its fix, for people and models. The text may change.' }),
      retryable: z.boolean().meta({ description: 'Whether the same request may succeed later.' }),
    }),
  })
  .meta({ id: 'Failure', description: 'The reason why a request failed.' })

/** Schema of names, which are shown in the context unchanged. */
const name = z.string().max(1_024)

const named = {
  name: name.optional().meta({ description: 'A file name, title or URI, shown next to the reference.' }),
  context: name.optional().meta({ description: 'A few words about the content, shown next to the name.' }),
}

type MediaJson = Omit<MediaBlock, 'data' | 'url'> & {
  readonly data?: string | undefined
  readonly url?: string | undefined
}
type ValueJson<Block> = Omit<Block, 'value'> & { readonly value?: unknown }
type ContentBlockJson = TextBlock | LinkBlock | MediaJson | ValueJson<JsonBlock> | ValueJson<UnknownBlock>

/** A block of a tool result, with bytes as Base64. */
export const contentBlockSchema: z.ZodType<ContentBlockJson> = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string(), mediaType: name.optional(), ...named }),
    z.object({ type: z.literal('json'), value: z.unknown(), ...named }),
    ...(['image', 'audio', 'video', 'document'] as const).map((type) =>
      z.object({
        type: z.literal(type),
        mediaType: name.min(1).meta({ description: 'A MIME type, such as `image/png`.' }),
        data: z.string().optional().meta({ description: 'Base64 of the content; either this or `url`.' }),
        url: z.string().optional(),
        ...named,
      }),
    ),
    z.object({ type: z.literal('link'), url: z.string(), name: name.optional(), mediaType: name.optional() }),
    z.object({ type: z.literal('unknown'), value: z.unknown() }),
  ] as const)
  .meta({ id: 'ContentBlock', description: 'A part of a tool result. Bytes are Base64.' })

const storedBlockSchema: z.ZodType = z
  .object({
    reference: z.string(),
    type: z.string(),
    contentType: z.string(),
    size: z.number().meta({ description: 'Bytes.' }),
    name: z.string().optional().meta({ description: 'The name of the block, as given by the tool.' }),
  })
  .meta({ id: 'StoredBlock' })

export const outcomeSchema: z.ZodType = z
  .object({
    status: z.enum(['inline', 'redacted', 'offloaded']).meta({
      description: 'Whether the result is unchanged, without its secrets, or stored and replaced.',
    }),
    reason: z.string().optional().meta({ description: 'Why the result is inline.' }),
    content: z.array(contentBlockSchema).meta({ description: 'The content for the context.' }),
    stored: z.array(storedBlockSchema),
    tokens: z.object({ original: z.number(), replacement: z.number().optional() }),
  })
  .meta({ id: 'Outcome', description: 'The outcome for a tool result.' })

export const entrySchema: z.ZodType = z
  .object({
    reference: z.string(),
    key: z.string().meta({ description: 'The key of the entry: the id of the call, or the path of a file.' }),
    contentType: z.string(),
    size: z.number().meta({ description: 'Bytes.' }),
    storedAt: z.string().meta({ description: 'ISO 8601.' }),
    lastUsedAt: z.string(),
    expiresAt: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
    state: z.enum(['complete', 'open', 'lost', 'aborted', 'cut']).meta({ description: 'Whether it is complete.' }),
    omitted: z
      .object({ bytes: z.number(), lines: z.number(), afterLine: z.number(), offset: z.number() })
      .optional()
      .meta({ description: 'The missing range in the middle.' }),
  })
  .meta({ id: 'Entry', description: 'A stored entry.' })

export const referenceParams: z.ZodObject<{ reference: z.ZodString }> = z.object({
  reference: z.string().max(256).meta({ description: 'The reference, as listed under [Stored references:].' }),
})

/** Convert a block from JSON. @throws HttpError `invalid-request` for media without valid content. */
export function readContentBlock(block: ContentBlockJson, index: number): ContentBlock {
  switch (block.type) {
    case 'text':
    case 'link':
      return block
    case 'json':
    case 'unknown':
      return { ...block, value: block.value }
    default: {
      const { type, mediaType, name, context, data, url } = block
      if ((data === undefined) === (url === undefined))
        throw new HttpError('invalid-request', `content.${index}: A block of type ${type} has either data or url.`)
      const media = data === undefined ? mediaFromUrl(mediaType, url!, name) : mediaFromData(mediaType, data, name)
      const problem = data === undefined ? 'url is an invalid data: URL.' : 'data must be Base64.'
      if (media === undefined) throw new HttpError('invalid-request', `content.${index}: ${problem}`)
      return { ...media, context, type }
    }
  }
}

export function writeContentBlock(block: ContentBlock): ContentBlockJson {
  switch (block.type) {
    case 'text':
    case 'link':
      return block
    case 'json':
    case 'unknown':
      return { ...block, value: block.value ?? null }
    default: {
      const { data, ...others } = block
      return data === undefined ? others : { ...others, data: encodeBase64(data) }
    }
  }
}
