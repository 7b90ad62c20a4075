import { isFull } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import { MARK_HIDDEN, MARK_NAMED_ASIDE } from './element-marks.ts'
import { readPage } from '../../test/read-page.ts'

const blocks = (source: string): string[] => readPage(source).blocks.map(({ kind, text }) => `${kind}: ${text}`)

describe('PageReader', () => {
  it('gathers text into paragraphs, headings, items, quotes and code', () => {
    expect(
      blocks(
        '<h1>A <em>b</em></h1><p>c\n  d<p>e<ul><li>f<li>g</ul><blockquote>h</blockquote><pre>\n i\n  j\n</pre>k<br><br>l',
      ),
    ).toEqual([
      'heading: A b',
      'text: c d',
      'text: e',
      'item: f',
      'item: g',
      'quote: h',
      'code:  i\n  j',
      'text: k',
      'text: l',
    ])
  })

  it('makes one block of each row of a table of data', () => {
    expect(blocks('<table><tr><th>a<th>b<tr><td>1<td><b>2</b><tr><td>3</table>')).toEqual([
      'row: a | b',
      'row: 1 | 2',
      'text: 3',
    ])
  })

  it('reads the content of the cells of a layout table', () => {
    expect(blocks('<table><tr><td><h1>a</h1><p>b</p><table><tr><td>1<td>2</table><td><ul><li>c</ul></table>')).toEqual([
      'heading: a',
      'text: b',
      'row: 1 | 2',
      'item: c',
    ])
  })

  it('leaves out scripts, styles, drawings, and buttons outside of headings', () => {
    expect(
      blocks(
        '<script>"<p>a</p>"</script><style>b</style><svg><title>c</title></svg><button>d</button><h2><button>e</button></h2>f',
      ),
    ).toEqual(['heading: e', 'text: f'])
  })

  it('takes the first title', () => {
    expect(readPage('<title> A &amp; b </title><title>c</title>').title).toBe('A & b')
  })

  it('leaves out invisible characters and the link signs of headings', () => {
    expect(blocks('<p>a\u0007\u00adb\u200b c\u001b[31m d</p><h2>e<a href="#e">#</a></h2><h2>C#</h2>')).toEqual([
      'text: ab c d',
      'heading: e',
      'heading: C#',
    ])
  })

  it('says the line that each block begins in', () => {
    expect(readPage('<p>\n\na</p>\n<p>b\nc</p><h2\n>d</h2>').blocks.map(({ line }) => line)).toEqual([3, 4, 6])
  })

  it('ends comments that look like CDATA as browsers do', () => {
    expect(blocks('<p>a</p><![CDATA[ x > b <p>c</p>')).toEqual(['text: a', 'text: b', 'text: c'])
  })

  it('finds the way back after tags that are never closed, closed twice, or closed in the wrong order', () => {
    expect(blocks('<div><p>a</div></div></p><b><p>c</b>d</i><section>e')).toEqual([
      'text: a',
      'text: c',
      'text: d',
      'text: e',
    ])
  })

  it('reads attributes with quotes, without them, and without a value', () => {
    const { elements } = readPage('<p CLASS=nav>a<p title="x class=nav" id=\'b\'>c<p hidden class = "site-footer">d')
    expect(elements.slice(1).map(({ marks }) => marks)).toEqual([MARK_NAMED_ASIDE, 0, MARK_NAMED_ASIDE | MARK_HIDDEN])
  })

  it('decodes references to characters, also where a page arrives in pieces', () => {
    const source = `<p>${'&eacute;'.repeat(20_000)}</p>`
    expect(readPage(source).blocks[0]!.text).toMatch(/^é+$/)
  })

  it('ends drawings that end in their own tag', () => {
    expect(blocks('<svg/><p>a</p><p><svg><path/></svg>b</p>')).toEqual(['text: a', 'text: b'])
  })

  it('counts the text in links', () => {
    const { elements } = readPage('<ul><li><a href=x><img></a><a href=x>one</a> two<li><a href=y>three</a></ul>')
    expect(elements[0]).toMatchObject({ links: 2, linkUnits: 8, units: 12 })
  })

  it.each([
    ['nested elements', '<div>', 5_000_000],
    ['nested elements with text', '<div>x', 3_000_000],
    ['less-than signs', '<', 5_000_000],
    ['formatting that is never closed', '<b><i><p>x', 1_500_000],
    ['items', '<ul><li>', 3_000_000],
    ['tables in tables', '<table><tr><td>', 3_000_000],
    ['end tags', '</div>', 3_000_000],
    ['attributes', '<div a=1 a=1 class="x"', 3_000_000],
    ['character references', '&amp;', 2_000_000],
    ['references that are none', '&', 2_000_000],
    ['links', '<a href=x>', 3_000_000],
    ['halves of characters', '\ud800<p>', 1_500_000],
  ])('reads %s, and neither throws nor hangs', (_, part, length) => {
    expect(readPage(part.repeat((isFull ? length : length / 4) / part.length)).blocks.length).toBeLessThanOrEqual(
      65_536,
    )
  })
})
