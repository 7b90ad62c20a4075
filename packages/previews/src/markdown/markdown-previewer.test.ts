import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith } from '../../test/preview-with.ts'
import type { TextSubject } from '../previewer.ts'
import { markdownPreviewer } from './markdown-previewer.ts'

const preview = (text: string, budgetTokens = 300, subject: Partial<TextSubject> = {}): Promise<string | undefined> =>
  previewWith(markdownPreviewer(), text, { budgetTokens, countTokens }, subject)

const section = (index: number, words = 40): string =>
  `## Part ${index}\n\nPart ${index} begins so. ${'And it goes on like this. '.repeat(words)}\n`

describe('markdownPreviewer', () => {
  it('gives headings with their line numbers', async () => {
    const text = `# Report\n\n${Array.from({ length: 30 }, (_, index) => section(index)).join('\n')}`
    const shown = (await preview(text, 500))!
    const lines = text.split('\n')
    const headings = shown.split('\n').filter((line) => /^\d+\| #/.test(line))
    expect(headings.length).toBeGreaterThan(20)
    for (const line of headings) {
      const [number, heading] = line.split('| ') as [string, string]
      expect(lines[Number(number) - 1]).toBe(heading)
    }
    expect(shown).toMatch(/^\[Markdown: 121 lines, 31 headings\]/)
  })

  it('takes no comment in code for a heading, and underlined lines for one', async () => {
    const text = `Title\n=====\n\n\`\`\`sh\n# a comment\n\`\`\`\n\nPart\n----\n\n${section(1)}`
    const shown = (await preview(text, 60))!
    expect(shown).toContain('3 headings')
    expect(shown).toContain('1| Title')
    expect(shown).toContain('8| Part')
  })

  it('ends a fence only with one like it', async () => {
    const text = `# A\n\n~~~~md\n\`\`\`\n# no heading\n~~~\n# none either\n~~~~\n\n# B\n\n${section(1)}`
    expect(await preview(text, 60)).toContain('3 headings')
  })

  it('counts the rows of tables', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => `| name ${index}     | ${index} |`).join('\n')
    const shown = (await preview(`# T\n\n| name | size |\n| --- | --- |\n${rows}\n\nAfter it.\n\n${section(1)}`, 100))!
    expect(shown).toContain('| name | size | [50 rows]')
  })

  it('cuts the numbers of a tool, and says where the lines are in the file', async () => {
    const text = Array.from({ length: 10 }, (_, index) => section(index))
      .join('\n')
      .split('\n')
    const numbered = text.map((line, index) => `${String(index + 101).padStart(6)}\t${line}`).join('\n')
    const shown = (await preview(numbered, 200))!
    expect(shown).toContain('line 1 is 101 of the file')
    expect(shown).toContain('5| ## Part 1')
    expect(shown).not.toContain('\t')
  })

  it('keeps the last section, which concludes', async () => {
    const text = `# Report\n\n${Array.from({ length: 60 }, (_, index) => section(index)).join('\n')}\n## Last\n\nShip it on Monday.\n`
    const shown = (await preview(text, 250))!
    expect(shown).toContain('## Last')
    expect(shown).toContain('Ship it on Monday.')
  })

  it('shows code, what opens before what it holds', async () => {
    const code =
      '```ts\nimport a from "a"\n\nexport function start(options: Options) {\n' + '  a(1)\n'.repeat(200) + '}\n```\n'
    const shown = (await preview(`# Plan\n\n${section(1)}\n${code}\n${section(2)}`, 200))!
    expect(shown).toContain('export function start(options: Options) {')
  })

  it('shows first what the call looks for', async () => {
    const parts = Array.from({ length: 80 }, (_, index) => section(index)).join('\n')
    const text = `${parts}\n## Later\n\nOnce more, the retention is ninety days.\n\n${parts}`
    const words = { intent: { paths: [], words: ['retention'] } }
    expect(await preview(text, 200, words)).toContain('the retention is ninety days')
  })

  it('reads front matter as such, and a rule on the first line as a rule', async () => {
    const shown = (await preview(`---\ntitle: Plan\ntags: [a]\n---\n\n# Plan\n\n${section(1)}`, 120))!
    expect(shown).toContain('title: Plan')
    expect(await preview(`---\n\n# One\n\n${section(1)}\n# Two\n`, 80)).toContain('3 headings')
  })

  it('shows everything where everything fits', async () => {
    const text = '# A\n\nSome words.\n\n- one\n- two\n'
    expect(await preview(text, 500)).toBe('# A\n\nSome words.\n\n- one\n- two')
  })
})
