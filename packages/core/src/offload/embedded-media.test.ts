import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { encodeBase64 } from '@spillway/text/internal'
import { countSlowTurns } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import { findEmbeddedMedia } from './embedded-media.ts'

const bytesFrom = (beginning: string, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => beginning.charCodeAt(at) || (at * 7) % 251)
const PNG = bytesFrom('\x89PNG\r\n\x1a\n', 1_500)
const PDF = bytesFrom('%PDF-1.7\n', 2_000)
const WORDS = 'a line of words before and after '.repeat(40)

/** Return the texts at the positions of all files, and the types of the files. */
async function find(text: string): Promise<readonly (readonly [text: string, mediaType: string])[]> {
  return (await findEmbeddedMedia(text)).map(({ start, end, mediaType }) => [text.slice(start, end), mediaType])
}

describe('findEmbeddedMedia', () => {
  const base64 = encodeBase64(PNG)
  const nested = (levels: number, value: unknown): unknown =>
    levels === 0 ? value : { levels, inner: JSON.stringify(nested(levels - 1, value)) }

  it('finds data URLs from their scheme to their end', async () => {
    const url = `data:image/png;charset=utf-8;base64,${base64}`
    expect(await find(`${WORDS}<img src="${url}"> ${WORDS}`)).toEqual([[url, 'image/png']])
    expect(await find(`url(${url})`)).toEqual([[url, 'image/png']])
  })

  it.each([0, 1, 2, 5])(
    'finds a file by the type in its JSON object, even inside %d levels of JSON strings',
    async (levels) => {
      const blob = encodeBase64(bytesFrom('unknown', 900))
      for (const resource of [
        { mimeType: 'application/x-thing', blob },
        { blob, uri: 'file:///thing', mimeType: 'application/x-thing' },
      ])
        expect(await find(JSON.stringify(nested(levels, { content: [resource, { mimeType: 'a/b' }] })))).toEqual([
          [blob, 'application/x-thing'],
        ])
    },
  )

  it.each([
    ['escaped slashes', (text: string) => text.replaceAll('/', String.raw`\/`)],
    ['escaped letters', (text: string) => text.replaceAll('+', String.raw`\u002B`).replaceAll('=', String.raw`\u003d`)],
    ['escaped line ends', (text: string) => text.replaceAll(/.{60}/g, String.raw`$&\n`)],
    ['line ends', (text: string) => `Content-Transfer-Encoding: base64\r\n\r\n${text.replaceAll(/.{76}/g, '$&\r\n')}`],
    ['line ends at inspected positions', (text: string) => text.replaceAll(/.{124}/g, '$&\n')],
    ['a word above', (text: string) => `attachment\n${text.replaceAll(/.{76}/g, '$&\n')}`],
    [
      'the URL-safe alphabet, without padding',
      (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ],
  ])('reads the exact bytes of Base64 with %s', async (_, write) => {
    const [found, ...others] = await findEmbeddedMedia(`{"content":"${write(base64)}"}`)
    expect(others).toEqual([])
    expect(found?.mediaType).toBe('image/png')
    expect(Buffer.from(found?.data ?? []).equals(PNG)).toBe(true)
  })

  it.each([
    ['without escapes', (text: string) => text],
    ['with escaped slashes', (text: string) => text.replaceAll('/', String.raw`\/`)],
    [
      'with escaped letters',
      (text: string) => text.replaceAll(/[A-F]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ],
    ['with escaped line ends', (text: string) => text.replaceAll(/.{61}/g, String.raw`$&\\\n`)],
    ['on lines', (text: string) => text.replaceAll(/.{63}/g, '$&\n')],
  ])('reads the exact bytes of large Base64 %s, and lets other work run', async (_, write) => {
    const file = bytesFrom('\x89PNG\r\n\x1a\n', 600_000)
    const text = `{"content":"${write(encodeBase64(file))}"}`
    let found: Awaited<ReturnType<typeof findEmbeddedMedia>>[number] | undefined
    const turns = await countSlowTurns(async () => {
      ;[found] = await findEmbeddedMedia(text)
    })
    expect(Buffer.from(found?.data ?? []).equals(file)).toBe(true)
    // Both the search for the end and the removal of escapes take 12 pieces.
    expect(turns).toBeGreaterThan(24)
  })

  it('does not include the quotes of JSON around Base64', async () => {
    const json = JSON.stringify({ inner: JSON.stringify({ inner: JSON.stringify({ data: base64 }) }) })
    const [{ start, end } = { start: 0, end: 0 }] = await findEmbeddedMedia(json)
    const replaced = JSON.parse(`${json.slice(0, start)}[image]${json.slice(end)}`) as { inner: string }
    expect(JSON.parse((JSON.parse(replaced.inner) as { inner: string }).inner)).toEqual({ data: '[image]' })
  })

  it.each([
    ['short Base64', `"${encodeBase64(PNG.slice(0, 200))}"`],
    ['long words', `"${'abcdefghij'.repeat(400)}"`],
    ['a private key', `-----BEGIN KEY-----\n${encodeBase64(bytesFrom('0', 1_500)).replaceAll(/.{64}/g, '$&\n')}`],
    ['Base64 that was cut', `"${base64}… 5,000 more"`],
    ['a type beside words of another field', `{"contentType":"text/html","id":"${'abcdefghij'.repeat(90)}"}`],
    ['a percent-encoded URL', `data:image/png;base64,${base64}%3D%3D`],
    ['words on separate lines', 'word\n'.repeat(3_000)],
  ])('finds no file in %s', async (_, text) => {
    expect(await find(text)).toEqual([])
  })

  it('replaces an invalid type by the type of the bytes, but keeps a valid type that is wrong', async () => {
    const urls = ['image/<script>', '', 'text/html'].map((type) => `data:${type};base64,${encodeBase64(PDF)}`)
    const types = (await find(urls.join(' '))).map(([, mediaType]) => mediaType)
    expect(types).toEqual(['application/pdf', 'application/pdf', 'text/html'])
  })

  it('finds each file at its position in any surrounding text', async () => {
    const around = fc.stringMatching(/^[a-z "\\\n,=+/:{}-]{0,400}$/)
    const file = fc.record({ around, size: fc.integer({ min: 400, max: 3_000 }), isPdf: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 6 }), async (files) => {
        const texts = files.map(({ size, isPdf }) => encodeBase64((isPdf ? PDF : PNG).slice(0, size)))
        const text = files.map((one, index) => `${one.around}"data:x/y;base64,${texts[index]}"`).join('')
        expect(await find(text)).toEqual(texts.map((one) => [`data:x/y;base64,${one}`, 'x/y']))
      }),
      propertyRuns(100, 2_000),
    )
  })

  const UNITS = 200_000
  it.each([
    ['one run', 'a'.repeat(UNITS)],
    ['almost Base64', `${'iVBORw0KGgo'.repeat(40)}! `.repeat(UNITS / 442)],
    ['backslashes', '\\'.repeat(UNITS)],
    ['lines of 60 units', `${'A'.repeat(60)}\n`.repeat(UNITS / 61)],
    ['lines of 59 units', `${'A'.repeat(59)}\n`.repeat(UNITS / 60)],
    ['equals signs', `A${'='.repeat(UNITS)}`],
    ['tiny data URLs', 'data:image/png;base64,iVBORw0KGgo= '.repeat(UNITS / 35)],
    ['schemes', 'data:;base64,'.repeat(UNITS / 13)],
  ])('inspects each unit of %s at most a few times', async (_, text) => {
    const looked = vi.spyOn(String.prototype, 'charCodeAt')
    onTestFinished(() => looked.mockRestore())
    expect(await findEmbeddedMedia(text)).toEqual([])
    expect(looked.mock.calls.length).toBeLessThan(4 * UNITS)
  })
})
