/** Generates tool results: real formats with a few changes, and texts that are difficult for parsers. */
import { codePoint } from '@spillway-internal/test-run/code-point'
import { bytesOf, jpeg, makePdf, png, tarEntry, wav, zip } from '@spillway-internal/test-inputs'
import type { ContentBlock } from '@spillway/core'
import fc from 'fast-check'
import { HOSTILE_TEXTS } from '../../../packages/previews/test/hostile-texts.ts'
import { SAMPLE_TEXTS } from '../../../packages/previews/test/sample-texts.ts'

const PAGE =
  '<!doctype html><html><head><title>A page</title></head><body><nav><a href="/">Home</a></nav><main><h1>Engines</h1>' +
  '<p>An engine turns heat into motion.</p><table><tr><th>name</th><th>power</th></tr><tr><td>V8</td><td>5</td></tr>' +
  '</table><pre>code\n  more</pre></main></body></html>'

/** Texts that a mutation inserts: ends of structures, control characters, and words of the text around previews. */
const INSERTS = [
  ...['"', "'", '`', '<', '>', '{', '}', '[', ']', ',', ';', '|', '\\', '&', '#', '%', '\t', '\r', '\n', '\r\n'],
  ...['\0', '\u001B[31m', '\u001B]52;c;eA==\u0007', '\u009B2J', '\u2028', '\u202E', '\uFEFF', '\uD800', '\u0301'],
  ...['👩‍👩‍👧‍👦', '汉', 'é', 'ཀ', '\uE000', '<|endoftext|>', '1e999', '-0', '9007199254740993', '__proto__', 'constructor'],
  ...['[Stored references:]', '>>> end of ', '<<< preview of ', '[Offloaded: 1 blocks, ~9 tokens]', '  12| ', '> 12| '],
  ...['<script>', '</body>', '<!--', ']]>', '&#x110000;', '--- page 1 of 2 ---', '@@ -1 +1 @@', '%PDF-1.7', '```'],
]

interface Edit {
  readonly at: number
  readonly length: number
  readonly insert: string
  readonly times: number
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    at: fc.nat(100_000),
    length: fc.constantFrom(0, 0, 1, 3, 40, 1_000),
    insert: fc.oneof(fc.constantFrom(...INSERTS), fc.string({ unit: codePoint, maxLength: 8 })),
    times: fc.constantFrom(0, 1, 1, 2, 50, 2_000),
  }),
  { maxLength: 6 },
)

function edited(text: string, changes: readonly Edit[]): string {
  let result = text
  for (const { at, length, insert, times } of changes) {
    const start = at % (result.length + 1)
    result = result.slice(0, start) + insert.repeat(times) + result.slice(start + length)
  }
  return result
}

const plainTexts = fc.oneof(
  ...Object.values(SAMPLE_TEXTS),
  fc.constantFrom(PAGE, PAGE.repeat(20)),
  fc
    .tuple(fc.constantFrom(...Object.values(HOSTILE_TEXTS)), fc.integer({ min: 1, max: 60_000 }))
    .map(([make, length]) => make(length)),
  fc.string({ unit: codePoint, maxLength: 3_000 }),
)
/** Texts that are usually long enough to be offloaded. */
export const texts: fc.Arbitrary<string> = fc
  .tuple(plainTexts, fc.constantFrom(1, 1, 5, 40), edits)
  .map(([text, times, changes]) => edited(Array(times).fill(text).join('\n').slice(0, 200_000), changes))

const MEDIA: readonly (readonly ['image' | 'audio' | 'document', string, Uint8Array])[] = [
  ['image', 'image/png', png(1_000, 2_000)],
  ['image', 'image/jpeg', jpeg(640, 480)],
  ['image', 'image/gif', bytesOf('GIF89a', 16, 0, 16, 0, '\0\0\0')],
  ['image', 'image/webp', bytesOf('RIFF\x1a\0\0\0WEBPVP8L', 13, 0, 0, 0, '/\0\0\0\0')],
  ['image', 'image/svg+xml', bytesOf('<svg xmlns="http://www.w3.org/2000/svg" width="5" height="9"/>')],
  ['audio', 'audio/wav', wav(5, 8_000)],
  ['document', 'application/pdf', makePdf([['Report', 'one', 'two'], ['Appendix']])],
  ['document', 'application/zip', zip(['a.txt', '../b'])],
  ['document', 'application/x-tar', tarEntry('a.txt', 700)],
]

const media: fc.Arbitrary<ContentBlock> = fc
  .record({
    medium: fc.constantFrom(...MEDIA),
    declared: fc.constantFrom(undefined, undefined, 'application/pdf', 'image/png', 'text/csv', 'x/y; a="b'),
    cut: fc.option(fc.nat(2_000)),
    flips: fc.array(fc.tuple(fc.nat(5_000), fc.nat(255)), { maxLength: 12 }),
    filler: fc.constantFrom(0, 100, 60_000),
    name: fc.option(fc.oneof(fc.constantFrom(...INSERTS), fc.string({ unit: codePoint, maxLength: 300 }))),
  })
  .map(({ medium: [type, mediaType, sample], declared, cut, flips, filler, name }) => {
    const data = bytesOf(sample.subarray(0, cut ?? sample.length), new Uint8Array(filler).fill(65))
    for (const [at, value] of flips) data[at % data.length] = value
    return { type, mediaType: declared ?? mediaType, data, ...(name !== null && { name }) }
  })

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const json: fc.Arbitrary<ContentBlock> = fc
  .oneof(
    fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }),
    fc.array(fc.dictionary(fc.constantFrom('id', 'name', 'a.b', '', '__proto__', 'select'), fc.jsonValue()), {
      maxLength: 200,
    }),
    fc.constantFrom(1, 200, 2_000).map(nested),
  )
  .map((value) => ({ type: 'json', value }))

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  { weight: 6, arbitrary: texts.map((text): ContentBlock => ({ type: 'text', text })) },
  { weight: 2, arbitrary: json },
  { weight: 2, arbitrary: media },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...INSERTS), fc.constantFrom(1, 5_000))
      .map(([text, times]): ContentBlock => ({ type: 'link', url: `https://a.example/${text.repeat(times)}` })),
  },
  { weight: 1, arbitrary: fc.jsonValue().map((value): ContentBlock => ({ type: 'unknown', value })) },
)

/** Contents of results. */
export const contents: fc.Arbitrary<readonly ContentBlock[]> = fc.oneof(
  { weight: 20, arbitrary: fc.array(block, { minLength: 1, maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.string({ unit: codePoint, maxLength: 300 }), fc.constantFrom(40, 4_000))
      .map(([text, times]) => Array.from({ length: times }, (): ContentBlock => ({ type: 'text', text }))),
  },
)
