import fc from 'fast-check'
import type { MessageData, Part } from 'genkit'

const PNG = 'iVBORw0KGgo='

const text = fc.oneof(
  fc.constantFrom('', ' ', 'ok', 'one\ntwo\nthree\n', '…🙂 "quoted" \\ </tag>', '[Offloaded: no]'),
  fc.string({ maxLength: 30 }),
)
const long = text.map((one) => Array.from({ length: 150 }, (_, line) => `${one} line ${line} of it`).join('\n'))
const someText = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: long })
const json = fc.jsonValue({ maxDepth: 2 })
const metadata = fc.option(fc.constant({ metadata: { purpose: 'kept', signature: 'Eq' } }), { nil: {} })
const media = fc.constantFrom<Part>(
  { media: { url: `data:image/png;base64,${PNG}`, contentType: 'image/png' } },
  { media: { url: `data:image/png;base64,${PNG}` } },
  { media: { url: 'https://example.com/a.pdf', contentType: 'application/pdf' } },
  { media: { url: 'gs://bucket/a' } },
)
const odd = fc.constantFrom<Part>(
  { data: { rows: 3 } },
  { custom: { providerToolResult: { url: 'https://example.com' } } },
  { resource: { uri: 'file:///a' } },
)

/** A tool response. */
const response = fc.oneof(
  fc.record({
    output: fc.oneof(
      someText,
      json,
      someText.map((output) => ({ output })),
    ),
  }),
  fc.record({ output: someText.map((error) => ({ error })) }),
  fc.record({ output: fc.constant({ content: [{ type: 'text', text: 'a\nb' }], isError: true }) }),
  fc.record({ output: fc.constant(`data:image/png;base64,${PNG}`) }),
  fc.record({
    output: someText.map((body) => ({ status: 200, body })),
    content: fc.array(
      fc.oneof(
        media,
        someText.map((one): Part => ({ text: one })),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ content: fc.array(media, { maxLength: 2 }) }),
)
const call = fc.record({
  name: fc.constantFrom('read', 'grep', 'run-tests'),
  input: fc.oneof(
    fc.dictionary(fc.constantFrom('path', 'content'), someText, { maxKeys: 2, noNullPrototype: true }),
    fc.constantFrom<unknown>(undefined, 'text', 7),
  ),
  response,
  more: metadata,
})
const step = fc.record({ thought: fc.option(text), said: fc.option(someText), calls: fc.array(call, { maxLength: 3 }) })
const turn = fc.record({
  request: fc.array(
    fc.oneof(
      someText.map((one): Part => ({ text: one })),
      media,
      odd,
    ),
    { minLength: 1, maxLength: 3 },
  ),
  steps: fc.array(step, { maxLength: 3 }),
  answer: text,
  more: metadata,
})

/** Make conversations of Genkit, with or without refs of calls. */
export function histories(): fc.Arbitrary<MessageData[]> {
  const all = fc.record({ system: fc.option(text), turns: fc.array(turn, { maxLength: 3 }), hasRefs: fc.boolean() })
  return all.map(({ system, turns, hasRefs }) => {
    let number = 0
    const messages: MessageData[] =
      system === null ? [] : [{ role: 'system', content: [{ text: system }], metadata: { preamble: true } }]
    for (const { request, steps, answer, more } of turns) {
      messages.push({ role: 'user', content: request, ...more })
      for (const { thought, said, calls } of steps) {
        const refs = calls.map(() => (hasRefs ? { ref: `call_${(number += 1)}` } : {}))
        const parts: Part[] = [
          ...(thought === null ? [] : [{ reasoning: thought, metadata: { signature: 'Eq' } }]),
          ...(said === null ? [] : [{ text: said }]),
          ...calls.map(({ name, input, more: own }, at): Part => ({
            toolRequest: { name, ...refs[at], input },
            ...own,
          })),
        ]
        if (parts.length > 0) messages.push({ role: 'model', content: parts })
        const responses = calls.map(({ name, response: returned, more: own }, at): Part => ({
          toolResponse: { name, ...refs[at], ...returned },
          ...own,
        }))
        if (responses.length > 0) messages.push({ role: 'tool', content: responses })
      }
      messages.push({ role: 'model', content: [{ text: answer }], ...more })
    }
    return messages
  })
}
