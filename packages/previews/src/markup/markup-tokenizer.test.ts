import { isFull } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FixedPieces, MarkupTokenizer } from './markup-tokenizer.ts'

interface Token {
  readonly is: 'open' | 'close' | 'text' | 'cdata'
  readonly value: string
  readonly line: number
}

function tokens(pieces: readonly string[], raw: readonly string[] = [], skipsBlanks = false): Token[] {
  const found: Token[] = []
  const handler = {
    open: (name: string, attributes: string, isEmpty: boolean, line: number): void =>
      void found.push({ is: 'open', value: `${name}${attributes}${isEmpty ? '/' : ''}`, line }),
    close: (name: string, line: number): void => void found.push({ is: 'close', value: name, line }),
    text: (value: string, line: number): void => void found.push({ is: 'text', value, line }),
    cdata: (value: string, line: number): void => void found.push({ is: 'cdata', value, line }),
  }
  const tokenizer = new MarkupTokenizer(handler, new Set(raw), skipsBlanks)
  for (const piece of pieces) tokenizer.push(piece)
  tokenizer.finish()
  return found
}

const shown = (text: string, raw: readonly string[] = []): string[] =>
  tokens([text], raw).map(({ is, value }) => `${is} ${value}`)

describe('MarkupTokenizer', () => {
  it('recognizes tags, text and CDATA sections', () => {
    expect(shown('<?xml version="1.0"?><a b="1 > 0">x<!-- <c> --><d/><![CDATA[<e>]]></a>')).toEqual([
      'open a b="1 > 0"',
      'text x',
      'open d/',
      'cdata <e>',
      'close a',
    ])
  })

  it('leaves out declarations, even with an internal subset', () => {
    expect(shown('<!DOCTYPE a [<!ENTITY b "<c>">\n<!ELEMENT a ANY>]><a></a>')).toEqual(['open a', 'close a'])
  })

  it('reads text that only looks like a tag as text', () => {
    expect(shown('if a < b && c<3 then <i>x</i>')).toEqual([
      'text if a < b && c<3 then ',
      'open i',
      'text x',
      'close i',
    ])
  })

  it('ends an unclosed quote at the end of its tag', () => {
    const text = `<a b="x>${'<p>y</p>'.repeat(20_000)}`
    expect(shown(text).filter((token) => token === 'open p').length).toBe(20_000)
  })

  it('reads raw elements up to their own end tag', () => {
    expect(shown('<script>if (a < b) "</p>"</script><p>', ['script'])).toEqual([
      'open script',
      'text if (a < b) "</p>"',
      'close script',
      'open p',
    ])
  })

  it('gives the line of every token', () => {
    const found = tokens(['a\n\n<b>\n<c\nd="1"/>\n</b>'], [], true)
    expect(found).toEqual([
      { is: 'text', value: 'a\n\n', line: 1 },
      { is: 'open', value: 'b', line: 3 },
      { is: 'open', value: 'c\nd="1"/', line: 4 },
      { is: 'close', value: 'b', line: 6 },
    ])
  })

  it('gives the same tokens for any chunks', () => {
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<b c="d">',
      '<!-- x -->',
      '<![CDATA[y]]>',
      '<',
      '>',
      '"',
      'text\n',
      '<?p?>',
    )
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat(200)), (parts, cuts) => {
        const text = parts.join('')
        const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other), text.length]
        expect(tokens(at.slice(1).map((end, index) => text.slice(at[index], end)))).toEqual(tokens([text]))
      }),
    )
  })

  it('finds tags and text that cross its internal chunks', () => {
    const row = '<row id="1"><cell>some text here</cell></row>\n'
    const found = tokens([row.repeat(10_000)], [], true)
    expect(found.filter(({ is }) => is === 'open')).toHaveLength(20_000)
    expect(found.filter(({ is, value }) => is === 'open' && value === 'row id="1"')).toHaveLength(10_000)
    expect(found.at(-1)).toEqual({ is: 'close', value: 'row', line: 10_000 })
  })

  it.each([
    ['less-than signs', '<'],
    ['open quotes', '<a b="'],
    ['open comments', '<!--'],
    ['open sections', '<![CDATA['],
    ['open declarations', '<!DOCTYPE a ['],
    ['open instructions', '<?'],
    ['end tags', '</a>'],
    ['names', '<aaaaaaaa'],
  ])('takes bounded time for %s', (_, part) => {
    const text = part.repeat((isFull ? 4_000_000 : 1_000_000) / part.length)
    expect(tokens([text]).length).toBeLessThanOrEqual(text.length)
  })
})

it('FixedPieces turns chunks of any size into chunks of equal size and a last chunk', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 })), fc.integer({ min: 1, max: 20 }), (parts, size) => {
      const taken: string[] = []
      const pieces = new FixedPieces(size, (piece) => taken.push(piece))
      for (const part of parts) pieces.push(part)
      pieces.finish()
      expect(taken.join('')).toBe(parts.join(''))
      expect(taken.slice(0, -1).every((piece) => piece.length === size)).toBe(true)
      expect((taken.at(-1) ?? '').length).toBeLessThanOrEqual(size)
    }),
  )
})
