import { isFull, propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateTokens, type CountTokens } from '@spillway/text/internal'
import { HOSTILE_TEXTS } from '../../test/hostile-texts.ts'
import { previewText } from '../preview-text.ts'
import type { PreviewFallback } from '../preview-fallback.ts'
import { toolIntent } from '../detect/tool-intent.ts'
import { htmlPreviewer, mainContent, recognizeHtml } from './html-previewer.ts'
import { subjectOf } from '../../test/preview-with.ts'
import { readPage } from '../../test/read-page.ts'
import { MARK_HIDDEN, MARK_NAMED_ASIDE } from './element-marks.ts'

const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`
const unexpected = (fallback: PreviewFallback): never =>
  expect.fail(`${fallback.previewer}: ${fallback.reason}, ${String(fallback.error)}`)
const preview = (page: string, budgetTokens = 500, counter: CountTokens = countTokens): Promise<string> =>
  previewText(page, {
    previewers: [htmlPreviewer()],
    contentType: 'text/html',
    budgetTokens,
    countTokens: counter,
    showLines,
    onFallback: unexpected,
  })

const section = (index: number): string => `<section>
<h2>Chapter ${index}</h2>
<p>In chapter ${index} the <a href="/engine">engine</a> gets <em>wheel number ${index}</em>, which takes the whole day.</p>
<ul><li>Tools: hammer ${index}</li><li>Parts: wheel ${index}</li></ul>
</section>
`
const page = `<!doctype html>
<html><head><title>Engines of ${'the'} world</title></head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/a">About</a></li></ul></nav>
<main>
<h1>Engines of the world</h1>
${Array.from({ length: 60 }, (_, index) => section(index)).join('')}</main>
<footer>Imprint</footer>
</body></html>
`

describe('htmlPreviewer', () => {
  it('shows the main content as Markdown from its start', async () => {
    const text = await preview(page)
    expect(text).toMatch(
      /^\[HTML: [\d,]+ characters of main text, 309 lines\]\n# Engines of the world\n\n## Chapter 0\n\nIn chapter 0 the engine gets wheel number 0, which/,
    )
    expect(text).toContain('- Tools: hammer 0\n- Parts: wheel 0')
    expect(text).not.toMatch(/Home|Imprint|href/)
  })

  it('shows hidden text that the call searches for below its heading, and counts the text as shown', async () => {
    const asked = page.replace('<h2>Chapter 40</h2>', '<h2>Turbine of 1884</h2>')
    const given = { previewers: [htmlPreviewer()], budgetTokens: 500, countTokens, showLines }
    const input = { url: 'https://example.com/engines', prompt: 'When is the `Turbine` mentioned?' }
    const text = await previewText(asked, { ...given, toolName: 'fetch', input })
    expect(text).toMatch(
      /\n\[line \d+\] ## Turbine of 1884\n\[line \d+\] In chapter 40 the engine gets wheel number 40/,
    )
    const hidden = (shown: string): number => Number(/\[… ([\d,]+) more characters/.exec(shown)![1]!.replace(',', ''))
    const [all] = /[\d,]+(?= characters of main)/.exec(text)!
    const shown = text
      .split('\n')
      .filter((line) => !line.startsWith('[… ') && !line.startsWith('[HTML'))
      .reduce((units, line) => units + line.replace(/^\[line \d+\] |^- |^#+ /g, '').length, 0)
    expect(Number(all!.replace(',', '')) - hidden(text)).toBeLessThanOrEqual(shown)
  })

  it('writes no line numbers of headings if the page is a single line', async () => {
    const text = await preview(page.replaceAll('\n', ''))
    expect(text).toMatch(/\n## Chapter \d+\n## Chapter \d+\n/)
    expect(text).not.toContain('[line 1]')
  })

  it('shows the title in the header if no heading has the same text', async () => {
    expect(await preview(page.replace(/<h1>.*<\/h1>/, ''))).toMatch(/^\[HTML "Engines of the world": /)
  })

  it('shows the other text of the page after the main content if the main content is shorter', async () => {
    const posts = Array.from({ length: 30 }, (_, index) => `<li>Post ${index}: the tube amp sounds warmer.</li>`)
    const forum = `<!doctype html><title>Amps</title><main><h1>Amps</h1><p>This is one thread, resolved, which tells at length what the question is about, and who asked it.</p></main>
<div><ul>${posts.join('')}</ul></div><nav><a href="/">Home</a></nav>`
    const text = await preview(forum, 250)
    expect(text).toMatch(/who asked it\.\n\n\[outside the main text: [\d,]+ characters\]\n- Post 0: the tube/)
    expect(text).not.toContain('Home')
    const [, total] = /outside the main text: ([\d,]+)/.exec(text)!
    const [, hidden] = /\[… ([\d,]+) more characters\]$/.exec(text)!
    const shown = [...text.matchAll(/^- (.*)$/gm)].reduce((units, [, post]) => units + post!.length, 0)
    expect(shown + Number(hidden!.replace(',', ''))).toBe(Number(total!.replace(',', '')))
    expect(await preview(forum, 2_000)).toContain('Post 29')
  })

  it('describes each gap by its size, the call that shows it, and its headings with their lines', async () => {
    const text = await preview(page)
    const [, from, to] = /\n\[… [\d,]+ more characters: line_range \{ start: (\d+), end: (\d+) \}\]\n/.exec(text)!
    const lines = page.split('\n')
    expect(lines[Number(to) - 1]).toContain('Parts: wheel 59')
    const headings = [...text.matchAll(/^\[line (\d+)\] ## (Chapter \d+)$/gm)]
    expect(headings.length).toBeGreaterThan(2)
    for (const [, line, heading] of headings) {
      expect(Number(line)).toBeGreaterThanOrEqual(Number(from))
      expect(lines[Number(line) - 1]).toBe(`<h2>${heading}</h2>`)
    }
  })

  it('counts the hidden characters exactly', async () => {
    for (const budgetTokens of [80, 200, 500, 1_500]) {
      const text = await preview(page, budgetTokens)
      const total = Number(/([\d,]+) characters of main text/.exec(text)![1]!.replaceAll(',', ''))
      const hidden = Number(/\[… ([\d,]+) more characters/.exec(text)![1]!.replaceAll(',', ''))
      const shown = text
        .slice(text.indexOf('\n') + 1, text.indexOf('\n[… '))
        .split('\n')
        .map((line) => line.replace(/^(?:#+|-) |…$/g, ''))
      expect(shown.join('').length + hidden).toBe(total)
    }
  })

  it('shows all of the main content if the budget allows, and more for a larger budget', async () => {
    const whole = await preview(page, 20_000)
    expect(whole).toContain('Parts: wheel 59')
    expect(whole).not.toContain('[…')
    const sizes = await Promise.all([50, 200, 800, 3_000].map(async (budget) => (await preview(page, budget)).length))
    expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes)
  })

  it('stays within any budget for any tokenizer, and gives the same preview for the same page', async () => {
    const part = fc.constantFrom(
      '<p>Some text that says this and that, and more &amp; more.</p>',
      '<h2>A heading</h2>',
      '<ul><li>an item<li>👨‍👩‍👧‍👦',
      '<table><tr><td>1<td>2</table>',
      '<pre>code\n  more</pre>',
      '<div class="nav">',
      '</div>',
      '\ud83d\u0000<b>',
      '<script>x',
      '漢字'.repeat(50),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 60 }),
        fc.nat(1_200),
        fc.constantFrom(countTokens, estimateTokens, (text: string) => text.length * 3 + 7),
        async (parts, budgetTokens, counter) => {
          const source = `<!doctype html><html><title>t</title>${parts.join('')}`
          const text = await preview(source, budgetTokens, counter)
          expect(text === '' ? 0 : counter(text)).toBeLessThanOrEqual(budgetTokens)
          expect(text.isWellFormed()).toBe(true)
          expect(await preview(source, budgetTokens, counter)).toBe(text)
        },
      ),
      propertyRuns(30, 1_000),
    )
  })

  it('reads a page in the same way for any chunks', async () => {
    const subject = {
      toolName: '',
      input: {},
      intent: toolIntent('', {}),
      contentType: 'text/html',
      start: page,
      isWhole: true,
    }
    const reader = htmlPreviewer().read(subject)
    for (const character of page) reader.push(character)
    const write = await reader.finish(subject)
    expect(await write!({ budgetTokens: 500, countTokens, showLines })).toBe(await preview(page))
  })

  it.each(Object.entries(HOSTILE_TEXTS))('stays within the budget for %s', async (_, make) => {
    const text = await preview(`<!doctype html><html><body><p>${make(200_000)}`, 300, estimateTokens)
    expect(estimateTokens(text)).toBeLessThanOrEqual(300)
    expect(text.isWellFormed()).toBe(true)
  })

  it('leaves pages without text to the next previewer', async () => {
    const shell = '<!doctype html><html><body><div id="root"></div><script src="app.js"></script></body></html>'
    expect(await preview(shell, 200)).toMatch(/^<!doctype html>/)
  })

  it('suggests a call that finds the first hidden words if the page is a single line', async () => {
    const line = page.replaceAll('\n', ' ')
    const text = await previewText(line, {
      budgetTokens: 400,
      countTokens,
      showLines,
      showText: (words) => `pattern ${JSON.stringify(words)}`,
    })
    const [, words] = /\n\[… [\d,]+ more characters: pattern "([\w ]+)"\]\n/.exec(text)!
    expect(text.slice(text.indexOf('\n'), text.indexOf('\n[… '))).not.toContain(words)
    expect(line).toContain(words)
  })
})

const sureness = (text: string, contentType = 'text/plain', input: unknown = {}): number =>
  recognizeHtml(subjectOf(text, { input, intent: toolIntent('tool', input), contentType }))

const fragment = '<div class="card"><h2>Title</h2><p>Some text with <a href="/x">a link</a>.</p></div>\n'.repeat(20)

describe('recognizeHtml', () => {
  it.each([
    ['a page', '<!DOCTYPE html>\n<html><body>x</body></html>'],
    ['a page without a document type', '\n\n<html lang="en"><head></head></html>'],
    ['XHTML', '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">\n<html>'],
    ['a page after a comment', '<!-- saved from url -->\n<!doctype html>'],
  ])('is certain of %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThan(0.9)
    expect(sureness(text, 'text/html')).toBeGreaterThan(0.95)
  })

  it('recognizes a fragment with many tags as likely, and as certain if the type is declared', () => {
    expect(sureness(fragment)).toBe(0.7)
    expect(sureness(fragment, 'text/html')).toBe(0.95)
  })

  it.each([
    ['plain text declared as HTML', 'Service unavailable', 'text/html'],
    ['JSON declared as HTML', '{"a":"<p>x</p>"}', 'text/html'],
    ['XML', '<?xml version="1.0"?><rss><channel></channel></rss>', 'text/plain'],
    ['a namespace', '<svg:svg><a></a></svg:svg>', 'text/plain'],
    ['Markdown with tags', `# Title\n\n${fragment}`, 'text/plain'],
    ['a log that quotes tags', `2024-01-01 GET / <html>\n${fragment}`, 'text/plain'],
    ['one tag', '<a>b</a> and then text', 'text/plain'],
  ])('does not recognize %s', (_, text, contentType) => {
    expect(sureness(text, contentType)).toBe(0)
  })

  it.each(['App.tsx', 'src/Page.vue', 'a/index.php', 'README.md', 'icon.svg'])(
    'does not recognize the source of %s',
    (path) => {
      expect(sureness(fragment, 'text/plain', { path })).toBe(0)
    },
  )
})

const content = (body: string, title = ''): string[] =>
  mainContent(readPage(`<!doctype html><title>${title}</title><body>${body}`)).map(({ text }) => text)

const sentence = (index: number): string =>
  `Sentence ${index} of the article tells in some detail what happened on that day, and to whom.`
const article = [1, 2, 3, 4].map((index) => `<p>${sentence(index)}</p>`).join('')
const told = [1, 2, 3, 4].map(sentence)
const menu = `<ul>${['Home', 'News', 'Shop', 'About us'].map((text) => `<li><a href="/">${text}</a></li>`).join('')}</ul>`

describe('mainContent', () => {
  it('has the header of a table with its rows', () => {
    const rows = Array.from({ length: 40 }, (_, index) => `<tr><td>INV-${index}<td>${index}.50</tr>`).join('')
    const table = `<table><thead><tr><th>Invoice<th>Amount</tr></thead><tbody>${rows}</tbody></table>`
    expect(content(table).slice(0, 2)).toEqual(['Invoice | Amount', 'INV-0 | 0.50'])
  })

  it.each([
    ['navigation and footer', `<nav>${menu}</nav><div>${article}</div><footer><p>${sentence(9)}</p></footer>`],
    [
      'roles',
      `<div role="navigation">${menu}</div><div>${article}</div><div role="complementary">${sentence(9)}</div>`,
    ],
    [
      'names',
      `<div id="top-nav">${menu}</div><div>${article}</div><div class="cookie-banner"><p>${sentence(9)}</p></div>`,
    ],
    ['lists of short links', `<div>${menu}</div><div>${article}</div><div>${menu}</div>`],
    ['hidden parts', `<div>${article}</div><div hidden><p>${sentence(9)}</p></div>`],
    ['text outside `main`', `<p>${sentence(8)}</p><main>${article}</main><p>${sentence(9)}</p>`],
  ])('leaves out %s', (_, body) => {
    expect(content(body)).toEqual(told)
  })

  it('keeps the content of a page inside a form, and hidden content that scripts show later', () => {
    expect(content(`<form>${article}</form>`)).toEqual(told)
    expect(content(`<p>Loading</p><div hidden id="S:0">${article}</div>`)).toEqual(told)
  })

  it('keeps a list of links if the page has nothing else', () => {
    const results = [1, 2, 3, 4, 5].map((index) => `<li><a href="/">Result number ${index}</a></li>`).join('')
    expect(content(`<nav>${menu}</nav><div><h1>Results</h1><ul>${results}</ul></div>`)).toContain('Result number 3')
  })

  it('keeps all articles of a page with several articles', () => {
    const several = [1, 2, 3]
      .map((index) => `<article><h2>Post ${index}</h2><p>${sentence(index)}</p></article>`)
      .join('')
    expect(content(`<main>${several}</main>`)).toEqual(['Post 1', told[0], 'Post 2', told[1], 'Post 3', told[2]])
  })

  it('includes the headline before the content, but not the name of the site', () => {
    const page = `<header><h1>The Daily</h1></header><div><h1>What happened</h1></div><div>${article}</div>`
    expect(content(page, 'What happened | The Daily')).toEqual(['What happened', ...told])
  })

  it('shows repeated text once, and leaves out repeated links', () => {
    const cards = [1, 2, 3].map((index) => `<p>${sentence(index)} <br><br><a href="/">More</a></p>`).join('')
    expect(content(`${cards}<p>${sentence(1)}</p>`)).toEqual([told[0], told[1], told[2]])
  })

  it('is empty for a page without text', () => {
    expect(content('<div id="root"></div>')).toEqual([])
  })
})

const blocks = (source: string): string[] => readPage(source).blocks.map(({ kind, text }) => `${kind}: ${text}`)

describe('PageReader', () => {
  it('collects text into paragraphs, headings, items, quotes and code', () => {
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

  it('ends a block at two line breaks, outside of cells', () => {
    expect(blocks('<p>a<br>b<br><br>c</p>')).toEqual(['text: a b', 'text: c'])
    expect(blocks('<table><tr><th>a<th>b<tr><td>1<br><br>2<td>3</table>')).toEqual(['row: a | b', 'row: 1 2 | 3'])
  })

  it('makes a separate block for each row of a data table', () => {
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

  it('uses the first title', () => {
    expect(readPage('<title> A &amp; b </title><title>c</title>').title).toBe('A & b')
  })

  it('leaves out invisible characters and link signs of headings', () => {
    expect(blocks('<p>a\u0007\u00adb\u200b c\u001b[31m d</p><h2>e<a href="#e">#</a></h2><h2>C#</h2>')).toEqual([
      'text: ab c d',
      'heading: e',
      'heading: C#',
    ])
  })

  it('gives the line in which each block starts', () => {
    expect(readPage('<p>\n\na</p>\n<p>b\nc</p><h2\n>d</h2>').blocks.map(({ line }) => line)).toEqual([3, 4, 6])
    expect(readPage('<p>\n<!-- x\n\n -->y</p>').blocks.map(({ line }) => line)).toEqual([4])
  })

  it('ends comments that look like CDATA in the same place as browsers', () => {
    expect(blocks('<p>a</p><![CDATA[ x > b <p>c</p>')).toEqual(['text: a', 'text: b', 'text: c'])
  })

  it('recovers after tags that are never closed, closed twice, or closed in the wrong order', () => {
    expect(blocks('<div><p>a</div></div></p><b><p>c</b>d</i><section>e')).toEqual([
      'text: a',
      'text: c',
      'text: d',
      'text: e',
    ])
  })

  it('reads attributes with or without quotes or a value', () => {
    const { elements } = readPage('<p CLASS=nav>a<p title="x class=nav" id=\'b\'>c<p hidden class = "site-footer">d')
    expect(elements.slice(1).map(({ marks }) => marks)).toEqual([MARK_NAMED_ASIDE, 0, MARK_NAMED_ASIDE | MARK_HIDDEN])
  })

  it('decodes character references, even across chunks', () => {
    const source = `<p>${'&eacute;'.repeat(20_000)}</p>`
    expect(readPage(source).blocks[0]!.text).toMatch(/^é+$/)
  })

  it('ends an SVG drawing at its end tag, or immediately if the drawing is empty', () => {
    expect(blocks('<svg/><p>a</p><p><svg><path/></svg>b</p>')).toEqual(['text: a', 'text: b'])
  })

  it.each([
    ['nested elements', '<div>', 5_000_000],
    ['nested elements with text', '<div>x', 3_000_000],
    ['less-than signs', '<', 5_000_000],
    ['unclosed formatting', '<b><i><p>x', 1_500_000],
    ['items', '<ul><li>', 3_000_000],
    ['tables in tables', '<table><tr><td>', 3_000_000],
    ['end tags', '</div>', 3_000_000],
    ['attributes', '<div a=1 a=1 class="x"', 3_000_000],
    ['character references', '&amp;', 2_000_000],
    ['invalid references', '&', 2_000_000],
    ['links', '<a href=x>', 3_000_000],
    ['lone surrogates', '\ud800<p>', 1_500_000],
  ])('reads %s without errors or hanging', (_, part, length) => {
    expect(readPage(part.repeat((isFull ? length : length / 4) / part.length)).blocks.length).toBeLessThanOrEqual(
      65_536,
    )
  })
})
