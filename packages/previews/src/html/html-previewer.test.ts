import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { type CountTokens, estimateTokens } from '@spillway/text/internal'
import { HOSTILE_TEXTS } from '../../test/hostile-texts.ts'
import { previewText } from '../preview-text.ts'
import type { PreviewFallback } from '../preview-fallback.ts'
import { toolIntent } from '../detect/tool-intent.ts'
import { htmlPreviewer } from './html-previewer.ts'

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
  it('shows the main content as Markdown from its beginning', async () => {
    const text = await preview(page)
    expect(text).toMatch(
      /^\[HTML: [\d,]+ characters of main text, 309 lines\]\n# Engines of the world\n\n## Chapter 0\n\nIn chapter 0 the engine gets wheel number 0, which/,
    )
    expect(text).toContain('- Tools: hammer 0\n- Parts: wheel 0')
    expect(text).not.toMatch(/Home|Imprint|href/)
  })

  it('shows the title if no heading has it', async () => {
    expect(await preview(page.replace(/<h1>.*<\/h1>/, ''))).toMatch(/^\[HTML "Engines of the world": /)
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

  it('counts exactly the hidden characters', async () => {
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

  it('stays within any budget by any counter, and is the same for the same page', async () => {
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

  it('reads a page the same however it arrives', async () => {
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

  it.each(Object.entries(HOSTILE_TEXTS))('survives %s', async (_, make) => {
    const text = await preview(`<!doctype html><html><body><p>${make(200_000)}`, 300, estimateTokens)
    expect(estimateTokens(text)).toBeLessThanOrEqual(300)
    expect(text.isWellFormed()).toBe(true)
  })

  it('leaves pages without text to the next previewer', async () => {
    const shell = '<!doctype html><html><body><div id="root"></div><script src="app.js"></script></body></html>'
    expect(await preview(shell, 200)).toMatch(/^<!doctype html>/)
  })

  it('gives a call that finds the first hidden words of a page on one line', async () => {
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
