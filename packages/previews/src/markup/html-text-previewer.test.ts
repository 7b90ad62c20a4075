import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewText } from '../preview-text.ts'
import { htmlTextPreviewer } from './html-text-previewer.ts'

const showText = (text: string): string => `pattern ${JSON.stringify(text)}`
const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`
const preview = (page: string, budgetTokens = 400): Promise<string> =>
  previewText(page, { previewers: [htmlTextPreviewer()], budgetTokens, countTokens, showLines, showText })

const section = (index: number): string =>
  `<h2>Part ${index}</h2>\n<p>What <b>part</b> ${index} says &amp; means, in a few words more.\n<ul><li>one<li>two</ul>\n`
const page = `<!doctype html>
<html><head><title>Report &amp; more</title><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav><script>if (a < b) document.write("<p>no</p>")</script>
${Array.from({ length: 40 }, (_, index) => section(index)).join('')}
<footer>Imprint</footer></body></html>`

describe('htmlTextPreviewer', () => {
  it('shows the title and the text between the tags, in order', async () => {
    const text = await preview(page)
    expect(text).toMatch(
      /^\[HTML "Report & more": [\d,]+ characters of text, 125 lines\]\n## Part 0\n\nWhat part 0 says & means/,
    )
    expect(text).toContain('- one\n- two')
    for (const unwanted of ['Home', 'no', 'color', 'Imprint', '<']) expect(text).not.toContain(unwanted)
  })

  it('gives the headings of what is hidden with their lines, and the call that shows them', async () => {
    const text = await preview(page)
    expect(text).toMatch(/\n\[… [\d,]+ more characters: line_range \{ start: \d+, end: 123 \}\]\n/)
    const lines = page.split('\n')
    const headings = [...text.matchAll(/^\[line (\d+)\] ## (Part \d+)$/gm)]
    expect(headings.length).toBeGreaterThan(3)
    for (const [, line, heading] of headings) expect(lines[Number(line) - 1]).toContain(`<h2>${heading}</h2>`)
  })

  it('gives a call that finds the first hidden words of a page on one line', async () => {
    const text = await preview(page.replaceAll('\n', ' '))
    const [, words] = /\n\[… [\d,]+ more characters: pattern "([\w ]+)"\]\n/.exec(text)!
    const body = text.slice(text.indexOf('\n'), text.indexOf('\n[… '))
    expect(body).not.toContain(words)
    expect(page).toContain(words)
  })

  it('shows everything where the budget allows', async () => {
    const text = await preview(page, 5_000)
    expect(text).toContain('## Part 39')
    expect(text).not.toContain('[…')
  })

  it('leaves pages without text to the next previewer', async () => {
    const shell = `<!doctype html><html><head><script src="a.js"></script></head><body><div id="root"></div></body></html>`
    expect(await preview(shell, 200)).toMatch(/^<!doctype html>/)
  })

  it('refuses shares that are none', () => {
    expect(() => htmlTextPreviewer({ shares: { text: 2 } })).toThrow(TypeError)
  })
})
