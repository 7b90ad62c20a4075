import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith, subjectOf } from '../../test/preview-with.ts'
import { proseHeading, prosePreviewer, recognizeProse } from './prose-previewer.ts'

const preview = (text: string, budgetTokens = 300, words: readonly string[] = []): Promise<string | undefined> =>
  previewWith(prosePreviewer(), text, { budgetTokens, countTokens }, { intent: { paths: [], words } })

const paragraph = (index: number): string =>
  `Paragraph ${index} begins here, and it goes on for a line\nor two, as paragraphs do. It says what number ${index} says\nand then it ends.\n`

describe('prosePreviewer', () => {
  it('shows headings with their line numbers, and the starts of sections', async () => {
    const text = Array.from(
      { length: 25 },
      (_, index) => `${index + 1}. Section ${index + 1}\n\n${paragraph(index).repeat(6)}`,
    ).join('\n')
    const lines = text.split('\n')
    const shown = (await preview(text, 400))!
    const headings = shown.split('\n').filter((line) => /^\d+\| \d+\. Section/.test(line))
    expect(headings.length).toBeGreaterThan(12)
    for (const line of headings) {
      const [number, heading] = line.split('| ') as [string, string]
      expect(lines[Number(number) - 1]).toBe(heading)
    }
    expect(shown).toContain('25 headings')
  })

  it('recognizes headings with up to three blanks before them, as in licenses', async () => {
    const text = (indent: string): string =>
      Array.from(
        { length: 9 },
        (_, index) => `${indent}${index}. Terms ${index}.\n\n${paragraph(index).repeat(3)}`,
      ).join('\n')
    expect(await preview(text('  '))).toMatch(/^\[text: \d+ lines, 9 headings\]/)
    expect(await preview(text('     '))).not.toContain('headings')
  })

  it('shows the headings of a manual page and of a help text', async () => {
    const body = (name: string): string =>
      Array.from(
        { length: 60 },
        (_, index) =>
          `  --${name}-${index} <file>\n            Read the value ${index} from this file [default: none].\n`,
      ).join('\n')
    const page = [
      'TOOL(1)    User Manual    TOOL(1)\n',
      ...['NAME', 'OPTIONS', 'EXIT CODES', 'SEE ALSO'].map((name) => `${name}\n${body('x')}`),
    ]
    const manual = (await preview(page.join('\n'), 400))!
    for (const line of ['3| NAME', '| OPTIONS', '| EXIT CODES', '| SEE ALSO']) expect(manual).toContain(line)
    const help = [
      'Usage: tool [options] FILE',
      ...['Options:', 'Global Options:'].map((name) => `${name}\n${body('y')}`),
    ]
    expect(await preview(help.join('\n\n'), 400)).toMatch(/\| Usage: tool.*\n[^]*\d\| Global Options:\n/)
  })

  it('does not take comments in the examples of a help text for headings', async () => {
    const examples = Array.from(
      { length: 60 },
      (_, index) => `  # List all pods of the namespace ${index}\n  tool get pods --namespace n${index}\n`,
    )
    const help = `Usage: tool get [options]\n\nExamples:\n${examples.join('\n')}\nOptions:\n  --all  Show it.\n`
    expect(await preview(help, 200)).toMatch(/^\[text: \d+ lines, 3 headings\]/)
  })

  it('does not take a plan of changes for a manual', () => {
    const change = (index: number): string =>
      `  # node[${index}] will be created\n  + resource "node" {\n      + id = (known after apply)\n    }\n`
    const changes = Array.from({ length: 80 }, (_, index) => change(index)).join('\n')
    const plan = `These actions are planned:\n\n${changes}\nChanges to Outputs:\n  + a = 1\n`
    expect(prosePreviewer().recognize(subjectOf(plan))).toBe(0)
  })

  it('recognizes underlined lines as headings', async () => {
    const text = `Guide\n=====\n\n${paragraph(1)}\nInstall\n-------\n\n${paragraph(2)}\nUse it\n------\n\n${Array.from({ length: 20 }, (_, index) => paragraph(index)).join('\n')}`
    const shown = (await preview(text, 120))!
    expect(shown).toContain('3 headings')
    expect(shown).toContain('1| Guide')
    expect(shown).toContain('8| Install')
    expect(shown).not.toContain('-------')
  })

  it('shows the start and the end', async () => {
    const text = Array.from({ length: 400 }, (_, index) => paragraph(index)).join('\n')
    const shown = (await preview(text, 250))!
    expect(shown).toContain('Paragraph 0 begins here')
    expect(shown).toContain('Paragraph 399 begins here')
    expect(shown).toContain('[text: 1,599 lines]')
  })

  it('shows both ends of one long line, cut after a sentence, with the hidden length', async () => {
    const text = `It begins so. ${'Then it goes on for long. '.repeat(4_000)}And so it ends.`
    const shown = (await preview(text, 150))!
    expect(shown).toMatch(/^\[text: 1 line, 104,029 characters\]\nIt begins so\. /)
    expect(shown).toMatch(/go(?:es)? on for long\. \[… [\d,]+ more characters …\]/)
    expect(shown.endsWith('And so it ends.')).toBe(true)
    expect(countTokens(shown)).toBeGreaterThan(135)
  })

  it('cuts text without blanks between its words', async () => {
    const shown = (await preview('这是一个没有空格的句子。'.repeat(3_000), 120))!
    expect(shown).toMatch(/。 \[… [\d,]+ more characters …\]/)
  })

  it('shows sentences with words of the call first', async () => {
    const text = `${paragraph(1).repeat(200)}\nThe treaty of Utrecht was signed that spring.\n\n${paragraph(2).repeat(200)}`
    expect(await preview(text, 150, ['utrecht'])).toContain('The treaty of Utrecht')
  })
})

const sureness = (text: string, path?: string): number =>
  recognizeProse(subjectOf(text, { intent: { paths: path === undefined ? [] : [path], words: [] } }))

describe('recognizeProse', () => {
  it.each([
    [
      'wrapped lines',
      'It was a bright cold day in April, and the clocks\nwere striking. He slipped quickly through the doors,\nthough not quickly enough to keep the dust from\nentering along with him.\n\n'.repeat(
        5,
      ),
    ],
    ['long lines', 'It was a bright cold day in April. The clocks were striking. He slipped in.\n\n'.repeat(20)],
    ['one line', 'It was a bright cold day. The clocks were striking. '.repeat(200)],
    ['Chinese', '那是四月里一个晴朗而寒冷的日子。钟正敲着十三下。他很快地走进了大门。\n'.repeat(20)],
    [
      'Russian',
      'Был холодный ясный апрельский день, и часы пробили\nтринадцать. Он быстро вошёл в дверь, но всё же\nвпустил за собой вихрь пыли. Было тихо.\n\n'.repeat(
        10,
      ),
    ],
    ['Arabic', 'كان يوما باردا ومشرقا من أيام أبريل. وكانت الساعات تدق. ودخل بسرعة.\n'.repeat(10)],
  ])('recognizes %s', (_, text) => {
    expect(sureness(text)).toBe(0.6)
  })

  it.each([
    ['a log', '2024-05-17 10:21:03 INFO The server has started. It is ready.\n'.repeat(40)],
    [
      'a log without times',
      'Installing the package foo. Done.\nCompiling 12 files. Done.\n[main] It works. It does.\n'.repeat(40),
    ],
    ['progress', 'Compiling alpha\nCompiling beta\nLinking gamma\n'.repeat(60)],
    ['a list of words', 'alpha\nbeta\ngamma\n'.repeat(60)],
    ['code', 'int main(void) { return f(x) + 1; }\nstatic int y = 2;\n'.repeat(40)],
    ['JSON', '{"a": "It was a day. It was cold."}\n'.repeat(40)],
    ['paths', './a/b/c.ts\n./d/e/f.ts\n'.repeat(60)],
    ['a short text', 'Too short. To tell.'],
  ])('does not recognize %s', (_, text) => {
    expect(sureness(text)).toBe(0)
  })

  it('recognizes chapters of one long line each', () => {
    expect(sureness('CHAPTER 1\n\nIt was a dark night. The rain fell on the roofs.\n\n'.repeat(20))).toBe(0.6)
  })

  it('is more certain if the path names a format of marked-up prose', () => {
    const text =
      'Title\n=====\n\n.. code-block:: sh\n\n   make\n\nThe words of it go on for a while, as they do.\n'.repeat(10)
    expect(sureness(text, 'docs/a.rst')).toBe(0.8)
  })
})

describe('proseHeading', () => {
  it.each([
    ['1. Introduction', 1],
    ['1. Definitions.', 1],
    ['2.3.1 Security Considerations', 3],
    ['A.2. Grammar', 2],
    ['IV. THE STORM', 1],
    ['Chapter 12', 1],
    ['CHAPTER XII', 1],
    ['第十二章 风暴', 1],
    ['TERMS AND CONDITIONS', 2],
  ])('gives %j the depth %i', (line, depth) => {
    expect(proseHeading(line)).toBe(depth)
  })

  it.each([
    '1. This is a whole sentence of a list.',
    'Chapters are long and dull',
    'She said NO.',
    'Dear Charles,',
    'Paragraph 12 begins here and goes on',
    'a plain line',
    'Fielding & Reschke     Standards Track     [Page 12]',
    '1.  Introduction ........ 4',
    '----------',
  ])('finds no heading in %j', (line) => {
    expect(proseHeading(line)).toBe(0)
  })
})
