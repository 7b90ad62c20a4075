import { expect, it } from 'vitest'
import type { ContentBlock } from '@spillway/text/internal'
import { ContextOffloader } from '../offload/context-offloader.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { offloadParts } from './offload-parts.ts'

interface Part {
  readonly kind: string
  readonly body: string
}

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const offloader = new ContextOffloader({ storage: tinyStorage() })
const request = {
  toolName: 'read_log',
  toolCallId: 'call_1',
  toBlock: ({ kind, body }: Part): ContentBlock =>
    kind === 'text' ? { type: 'text', text: body } : { type: 'unknown', value: body },
  fromText: (body: string): Part => ({ kind: 'text', body }),
}

it('says why a result stays', async () => {
  const withinLimit = { status: 'inline', reason: 'within-limit' }
  expect(await offloadParts(offloader, { ...request, parts: [{ kind: 'text', body: 'small' }] })).toEqual(withinLimit)
  expect(await offloadParts(offloader, { ...request, parts: [] })).toEqual(withinLimit)
})

it('puts the replacement first, and the very parts that stay after it', async () => {
  const parts = [
    { kind: 'ad', body: 'a' },
    { kind: 'text', body: LOG },
    { kind: 'text', body: 'small' },
  ]
  const outcome = await offloadParts(offloader, { ...request, parts })
  const replaced = outcome.status === 'offloaded' ? outcome.parts : []
  expect(replaced).toHaveLength(3)
  expect(replaced[0]).toEqual({ kind: 'text', body: expect.stringMatching(/^\[Offloaded: 1 blocks/) })
  expect(replaced[1]).toBe(parts[0])
  expect(replaced[2]).toBe(parts[2])
})

it('makes parts of what previewers add, or leaves it out', async () => {
  const added: ContentBlock = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(5_000) }
  const previewer = {
    name: 'smaller',
    previews: 'media',
    recognize: () => 1,
    read: async () => ({ blocks: [added] }),
  } as const
  const withImages = {
    ...request,
    parts: [{ kind: 'image', body: '' }],
    toBlock: (): ContentBlock => ({ type: 'image', mediaType: 'image/png', data: new Uint8Array(2_000_000) }),
  }
  const scaling = new ContextOffloader({ storage: tinyStorage(), previewers: [previewer] })
  const fromBlock = ({ type }: ContentBlock): Part => ({ kind: type, body: 'smaller' })
  const made = await offloadParts(scaling, { ...withImages, fromBlock })
  expect(made).toMatchObject({ parts: [{ kind: 'text' }, { kind: 'image', body: 'smaller' }] })
  const left = await offloadParts(scaling, withImages)
  expect(left.status === 'offloaded' && left.parts).toHaveLength(1)
})
