import { propertyRuns } from '@spillway-internal/test-run'
import { ContextOffloader } from '@spillway/core'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fieldsOf, type Fields } from './message.ts'
import { offloadCallResult } from './offload-call-result.ts'

const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64')
const TEXTS = ['a', 'small text', 'x y '.repeat(300), 'word '.repeat(3_000), 'lots of it '.repeat(10_000)]
const NAMES = [
  '_meta',
  'annotations',
  'title',
  'name',
  'description',
  'x',
  'uri',
  'mimeType',
  'text',
  'data',
  'resource',
  'blob',
]

const text = fc.constantFrom(...TEXTS)
const data = fc.constantFrom(base64(2), base64(600), base64(9_000), base64(300_000))
const annotations = fc.record({ audience: fc.constantFrom(['user'], ['assistant'], ['user', 'assistant']), note: text })
/** Fields that are usually small. */
const fields = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(text, fc.jsonValue(), annotations), { maxKeys: 3 })
const part = fc.oneof(
  fc.tuple(fields, text).map(([more, content]) => ({ ...more, type: 'text', text: content })),
  fc.tuple(fields, data).map(([more, content]) => ({ ...more, type: 'image', data: content, mimeType: 'image/png' })),
  fc
    .tuple(fields, fields, data)
    .map(([more, own, blob]) => ({ ...more, type: 'resource', resource: { ...own, blob } })),
  fc.tuple(fields, fields, text).map(([more, own, content]) => ({
    ...more,
    type: 'resource',
    resource: { ...own, text: content },
  })),
  fc.tuple(fields, text).map(([more, uri]) => ({ name: 'a', ...more, type: 'resource_link', uri })),
  fc.tuple(fields, text).map(([more, type]) => ({ ...more, type })),
  fc.jsonValue(),
)
const content = fc.array(part, { maxLength: 20 })
const results = fc
  .record({
    content,
    more: fields,
    structured: fc.oneof(fc.constant('none'), fc.constant('repeated'), fields, content),
  })
  .map(({ content: parts, more, structured }) => {
    const structuredContent = structured === 'repeated' ? { result: parts } : structured
    const { _meta } = more
    const result = {
      ...more,
      _meta: { given: _meta },
      content: parts,
      ...(structured === 'none' ? {} : { structuredContent }),
    }
    return JSON.parse(JSON.stringify(result)) as Fields
  })

async function offload(result: Fields): Promise<{ readonly shown: Fields; readonly stored: readonly Buffer[] }> {
  const storage = new InMemoryStorage()
  const offloader = new ContextOffloader({ storage })
  const request = { toolName: 'read', input: {}, result }
  const shown = fieldsOf(await offloadCallResult(offloader, request))
  const stored: Buffer[] = []
  for await (const { reference } of storage.list())
    stored.push(Buffer.from((await storage.retrieve(reference)).content))
  return { shown, stored }
}

/** Tokens of a result for a host: media by their size, and everything else as JSON. */
function tokensOf(result: Fields): number {
  let media = 0
  const parts = (result['content'] as readonly unknown[]).map((each) => {
    const { type, data: bytes, resource, ...others } = fieldsOf(each)
    const { text: textOf, blob } = fieldsOf(resource)
    if (type === 'image' && typeof bytes === 'string') {
      media += Buffer.from(bytes, 'base64').length / 400
      return { type, resource, ...others }
    }
    if (type !== 'resource' || typeof blob !== 'string' || typeof textOf === 'string') return each
    media += Buffer.from(blob, 'base64').length / 20
    return { type, data: bytes, ...others, resource: { ...fieldsOf(resource), blob: '' } }
  })
  const { [OFFLOADED_KEY]: _forPrograms, ...meta } = fieldsOf(result['_meta'])
  const { countTokens } = new ContextOffloader({ storage: new InMemoryStorage() }).options
  return media + countTokens(JSON.stringify({ ...result, content: parts, _meta: meta }))
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

it('content for the model and for the user is limited, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(results, async (result) => {
      const { shown, stored } = await offload(result)
      // Twice the limit of 2,500, and some more for the template of previews and for JSON syntax.
      expect(tokensOf(shown)).toBeLessThan(6_000)
      const all = [JSON.stringify(shown), ...stored.flatMap((bytes) => [bytes.toString(), bytes.toString('base64')])]
      for (const each of new Set(stringsIn(result).filter(({ length }) => length > 100)))
        expect(all.some((one) => one.includes(each))).toBe(true)
    }),
    { ...propertyRuns(15, 400), endOnFailure: true },
  )
})
