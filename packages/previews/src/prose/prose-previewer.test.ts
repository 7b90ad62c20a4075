import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { previewWith } from '../../test/preview-with.ts'
import { prosePreviewer } from './prose-previewer.ts'

const preview = (text: string, budgetTokens = 300, words: readonly string[] = []): Promise<string | undefined> =>
  previewWith(prosePreviewer(), text, { budgetTokens, countTokens }, { intent: { paths: [], words } })

const paragraph = (index: number): string =>
  `Paragraph ${index} begins here, and it goes on for a line\nor two, as paragraphs do. It says what number ${index} says\nand then it ends.\n`

describe('prosePreviewer', () => {
  it('gives headings with their line numbers, and how sections begin', async () => {
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

  it('takes underlined lines for headings', async () => {
    const text = `Guide\n=====\n\n${paragraph(1)}\nInstall\n-------\n\n${paragraph(2)}\nUse it\n------\n\n${Array.from({ length: 20 }, (_, index) => paragraph(index)).join('\n')}`
    const shown = (await preview(text, 120))!
    expect(shown).toContain('3 headings')
    expect(shown).toContain('1| Guide')
    expect(shown).toContain('8| Install')
    expect(shown).not.toContain('-------')
  })

  it('shows the beginning and the end', async () => {
    const text = Array.from({ length: 400 }, (_, index) => paragraph(index)).join('\n')
    const shown = (await preview(text, 250))!
    expect(shown).toContain('Paragraph 0 begins here')
    expect(shown).toContain('Paragraph 399 begins here')
    expect(shown).toContain('[text: 1,599 lines, 400 paragraphs]')
  })

  it('shows both ends of one long line, cut after a sentence, with how much is hidden', async () => {
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

  it('shows first what the call looks for', async () => {
    const text = `${paragraph(1).repeat(200)}\nThe treaty of Utrecht was signed that spring.\n\n${paragraph(2).repeat(200)}`
    expect(await preview(text, 150, ['utrecht'])).toContain('The treaty of Utrecht')
  })

  it('puts last what repeats on every page', async () => {
    const page = (index: number): string =>
      `RFC 9999          Examples\n\n${paragraph(index).repeat(4)}\nAuthor      [Page ${index}]\n\n`
    const shown = (await preview(Array.from({ length: 60 }, (_, index) => page(index)).join(''), 300))!
    expect(shown.split('RFC 9999').length).toBeLessThan(6)
    expect(shown).not.toContain('[Page 30]')
  })
})
