import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { previewText } from '../preview-text.ts'
import { recognizeXml, xmlPreviewer } from './xml-previewer.ts'
import { subjectOf } from '../../test/preview-with.ts'
import { toolIntent } from '../detect/tool-intent.ts'

const showText = (text: string): string => `pattern ${JSON.stringify(text)}`
const showLines = (start: number, end: number): string => `line_range { start: ${start}, end: ${end} }`
const preview = (text: string, budgetTokens = 400): Promise<string> =>
  previewText(text, { previewers: [xmlPreviewer()], budgetTokens, countTokens, showLines, showText })
const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join('')

describe('xmlPreviewer', () => {
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${many(2_000, (index) => `  <url>\n    <loc>https://example.com/${index}</loc>\n    <priority>0.${index % 10}</priority>\n  </url>\n`)}</urlset>
`

  it('shows the lines around words that the call searches for', async () => {
    const purpose = 'What is the priority of `https://example.com/1500`?'
    const text = await previewText(sitemap, { previewers: [xmlPreviewer()], budgetTokens: 300, countTokens, purpose })
    expect(text).toContain('<loc>https://example.com/1500</loc>\n    <priority>0.0</priority>\n')
  })

  it('shows a sitemap by its paths, then its first lines', async () => {
    const text = await preview(sitemap)
    expect(text).toMatch(/^\[XML <urlset>: 6,001 elements, 8,003 lines\]\nurlset xmlns="[^"]+"\n {2}url ×2,000\n/)
    expect(text).toContain('\n    loc ×2,000: https://example.com/0, https://example.com/1, …\n')
    expect(text).toContain('\n  <url>\n    <loc>https://example.com/0</loc>\n')
  })

  it('shows a feed that is a single line', async () => {
    const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>${many(90, (index) => `<item><title>News ${index} &amp; more</title><description><![CDATA[<p>${'text '.repeat(300)}</p>]]></description></item>`)}</channel></rss>`
    const text = await preview(feed)
    expect(text).toContain('title: Feed')
    expect(text).toContain('item ×90')
    expect(text).toContain('News 0 & more, News 1 & more')
    expect(text).toMatch(/\[… [\d,]+ more characters\]/)
  })

  it('shows the failures of a JUnit report with their lines and messages', async () => {
    const report = `<testsuites tests="500" failures="2">
<testsuite name="shop" tests="500" failures="2">
${many(500, (index) =>
  index % 300 === 123
    ? `<testcase classname="shop.CartTest" name="total${index}"><failure message="expected:&lt;${index}&gt; but was:&lt;7&gt;" type="AssertionError">AssertionError: expected:&lt;${index}&gt; but was:&lt;7&gt;\n\tat shop.CartTest.total(CartTest.java:${index})\n</failure></testcase>\n`
    : `<testcase classname="shop.CartTest" name="total${index}"/>\n`,
)}</testsuite></testsuites>`
    const text = await preview(report)
    expect(text).toContain('\n[line 126] shop.CartTest.total123: failure: expected:<123> but was:<7>\n')
    expect(text).toContain('at shop.CartTest.total(CartTest.java:123)')
    expect(text).toContain('shop.CartTest.total423: failure: expected:<423> but was:<7>')
    expect(text).toContain('testsuites tests="500" failures="2"')
  })

  it.each([
    [
      'NUnit',
      '<test-run result="Failed"><test-suite>',
      '<test-case fullname="A.Passes" result="Passed"/>\n',
      '<test-case fullname="A.Breaks" result="Failed"><failure><message><![CDATA[Expected: 1]]></message></failure></test-case>',
      '</test-suite></test-run>',
      /A\.Breaks.*\n? *Expected: 1/,
    ],
    [
      'TRX',
      '<?xml version="1.0"?><TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>',
      '<UnitTestResult testName="Passes" outcome="Passed"/>\n',
      '<UnitTestResult testName="Breaks" outcome="Failed"><Output><ErrorInfo><Message>Assert.AreEqual failed.</Message></ErrorInfo></Output></UnitTestResult>',
      '</Results></TestRun>',
      /Breaks: UnitTestResult\n {2}Assert\.AreEqual failed\./,
    ],
    [
      'Checkstyle',
      '<?xml version="1.0"?><checkstyle version="10"><file name="src/Cart.java">',
      '',
      '<error line="12" column="5" severity="error" message="Missing a Javadoc comment." source="x"/>',
      '</file></checkstyle>',
      /src\/Cart\.java:12: error: Missing a Javadoc comment\./,
    ],
  ])('finds the failures in a report of %s', async (_, start, passed, failed, end, shown) => {
    const text = await preview(
      `${start}${passed.repeat(300)}${failed}${passed.repeat(300)}${' '.repeat(6_000)}${end}`,
      200,
    )
    expect(text).toMatch(shown)
  })

  it('shows the start of a document that is not a list', async () => {
    const settings = `<?xml version="1.0"?>\n<settings>\n${many(300, (index) => `  <option${index}>${index}</option${index}>\n`)}</settings>\n`
    const text = await preview(settings)
    expect(text).toContain('\n  <option0>0</option0>\n  <option1>1</option1>\n')
    const [, hidden, from, to] = /\[… (\d+) lines: line_range \{ start: (\d+), end: (\d+) \}\]$/.exec(text)!
    expect(Number(to) - Number(from) + 1).toBe(Number(hidden))
    expect(to).toBe('303')
  })

  it('shows a document that fits completely', async () => {
    const text = '<?xml version="1.0"?>\n<a>\n  <b c="1">x</b>\n</a>\n'
    expect(await preview(text)).toBe(`[XML <a>: 2 elements, 4 lines]\n${text.trimEnd()}`)
  })

  it('shows text after the elements, such as a message of the program', async () => {
    expect(await preview(`${sitemap}\nxmllint: warning: 2 entities were not resolved\n`)).toContain(
      '\n[after the elements:] xmllint: warning: 2 entities were not resolved\n',
    )
  })

  it('does not expand entities', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "ha">${many(9, (index) => `<!ENTITY b${index} "${'&b;'.repeat(10)}">`)}]><a>${'<c>&b8;</c>'.repeat(500)}</a>`
    expect(await preview(bomb)).toContain('&b8;')
  })

  it('does not fail for elements nested 200,000 deep, or elements that never end', async () => {
    expect(await preview(`<?xml version="1.0"?><r>${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}</r>`)).toContain(
      '[XML <r>: 200,001 elements, 1 line]',
    )
    expect(countTokens(await preview(`<?xml version="1.0"?>${'<a>'.repeat(300_000)}`))).toBeLessThanOrEqual(400)
  })

  it('stays within any budget of any tokenizer, and shows more for a larger budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3_000 }),
        fc.constantFrom(countTokens, estimateTokens, (text: string) => text.length),
        async (budgetTokens, counter) => {
          const text = await previewText(sitemap, { budgetTokens, countTokens: counter, showLines })
          expect(text === '' ? 0 : counter(text)).toBeLessThanOrEqual(budgetTokens)
          expect(text.isWellFormed()).toBe(true)
        },
      ),
      propertyRuns(12, 400),
    )
    const sizes = await Promise.all(
      [100, 400, 2_000, 20_000].map(async (budget) => (await preview(sitemap, budget)).length),
    )
    expect(sizes.toSorted((one, other) => one - other)).toEqual(sizes)
  })
})

const sureness = (text: string, contentType = 'text/plain', input: unknown = {}): number =>
  recognizeXml(subjectOf(text, { input, intent: toolIntent('tool', input), contentType }))

describe('recognizeXml', () => {
  it.each([
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<a><b/></a>'],
    ['a declaration after a byte order mark', '\ufeff<?xml version="1.0"?><a><b/></a>'],
    ['a document type', '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x">\n<plist></plist>'],
  ])('is certain of %s', (_, text) => {
    expect(sureness(text)).toBeGreaterThan(0.9)
    expect(sureness(text, 'application/rss+xml')).toBeGreaterThan(0.95)
  })

  it('is fairly certain if one element contains all others', () => {
    const suite = `<testsuites>\n${'<testcase name="a"></testcase>\n'.repeat(9)}</testsuites>\n`
    expect(sureness(suite)).toBe(0.85)
    expect(sureness(suite.replace('</testsuites>', ''))).toBe(0)
    expect(sureness(suite, 'application/xml')).toBe(0.95)
  })

  it.each([
    ['HTML', '<!doctype html><html></html>'],
    ['XHTML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html></html>'],
    ['text declared as XML', 'no markup'],
    ['a log of tags', '<a> started\n<b> started\n<c> ended'],
    ['generic types', '<T extends Foo>(value: T) => value'],
  ])('does not recognize %s', (_, text) => {
    expect(sureness(text)).toBe(0)
    expect(sureness(text, 'application/xml')).toBeLessThan(0.9)
  })

  it('does not recognize code', () => {
    expect(sureness('<?xml version="1.0"?><a><b/></a>', 'text/plain', { file_path: 'view.php' })).toBe(0)
  })

  it('takes bounded time for hostile starts', () => {
    for (const part of ['<!--', '<!---', '<?a ', '<a ']) expect(sureness(part.repeat(200_000))).toBeLessThan(0.9)
  })
})
