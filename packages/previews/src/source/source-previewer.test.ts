import { isFull, propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens, cleanLine } from '@spillway/text/internal'
import { toolIntent } from '../detect/tool-intent.ts'
import type { OutlineSymbol } from './outline.ts'
import { sourcePreviewer, type SourcePreviewerOptions } from './source-previewer.ts'

const showLines = (start: number, end: number): string => `lines ${start}-${end}`

async function preview(
  text: string,
  budgetTokens: number,
  input: unknown = { path: 'a.go' },
  options: SourcePreviewerOptions = {},
  cuts: readonly number[] = [],
): Promise<string | undefined> {
  const toolName = 'read_file'
  const subject = {
    toolName,
    input,
    intent: toolIntent(toolName, input),
    contentType: 'text/plain',
    start: text.slice(0, 16_384),
    isWhole: text.length <= 16_384,
  }
  const reader = sourcePreviewer(options).read(subject)
  let from = 0
  for (const cut of [...cuts, text.length]) {
    reader.push(text.slice(from, cut))
    from = cut
  }
  return (await reader.finish(subject))?.({ budgetTokens, countTokens: estimateTokens, showLines })
}

const body = (size: number): string =>
  Array.from({ length: size }, (_, line) => `\tresult = combine(result, values[${line}])`).join('\n')
const goFunction = (index: number, size = 6): string =>
  `// Step${index} does the work of a step.\nfunc Step${index}(values []int) int {\n${body(size)}\n\treturn result\n}\n`
const GO = `package steps\n\nimport (\n\t"fmt"\n)\n\n${Array.from({ length: 40 }, (_, index) => goFunction(index)).join('\n')}`
const numbered = (text: string, first = 1): string =>
  text
    .split('\n')
    .map((line, index) => `${String(first + index).padStart(6)}→${line}`)
    .join('\n')

/** Goes through a preview as its reader does: which lines it shows, and which it says that it hides. */
function accounted(shown: string, text: string): { lines: number[]; hidden: number } {
  const source = text.split('\n')
  const lines: number[] = []
  let next = 1
  let hidden = 0
  for (const part of shown.split('\n').slice(1)) {
    const gap = /^\[… ([\d,]+) lines?(?:: .*)?\]$/.exec(part)
    const number = /^(\d+)\| /.exec(part)
    if (gap !== null) {
      hidden += Number(gap[1]!.replaceAll(',', ''))
      next += Number(gap[1]!.replaceAll(',', ''))
    } else if (!/^\d+(?:, \d+)* [\w.]+$/.test(part) || source[next - 1] === part) {
      if (number !== null && !source[next - 1]!.startsWith(number[0])) expect(Number(number[1])).toBe(next)
      const line = number === null ? part : part.slice(number[0].length)
      expect(cleanLine(source[next - 1]!)).toContain(line.replace(/\[…\]$/, ''))
      lines.push(next)
      next++
    }
  }
  return { lines, hidden }
}

describe('a preview of source code', () => {
  it('says language and lines, and names each definition beside its line', async () => {
    const shown = (await preview(GO, 400))!
    expect(shown.split('\n')[0]).toBe(`[Go, ${GO.split('\n').length - 1} lines, 40 definitions]`)
    const source = GO.split('\n')
    for (let index = 0; index < 40; index++) {
      const line = source.findIndex((each) => each.startsWith(`func Step${index}(`)) + 1
      expect(shown).toMatch(new RegExp(`^${line}(?: |\\| func )Step${index}\\b`, 'm'))
    }
  })

  it('accounts for every line: each is shown or counted in a gap', async () => {
    const sources = fc
      .array(fc.tuple(fc.nat(9), fc.constantFrom('', '\n', '\n\n\n', '\tx := 1\n', '\t// note\n', '12 names\n')), {
        minLength: 1,
        maxLength: 60,
      })
      .map((parts) => parts.map(([size, between], index) => goFunction(index, size) + between).join(''))
    await fc.assert(
      fc.asyncProperty(sources, fc.integer({ min: 40, max: 3_000 }), async (text, budget) => {
        const shown = await preview(text, budget)
        if (shown === undefined || shown === '') return
        const { lines, hidden } = accounted(shown, text)
        // A blank line at the end may be missing.
        const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
        expect([count, text.endsWith('\n\n') ? count - 1 : count]).toContain(lines.length + hidden)
      }),
      propertyRuns(20, 600),
    )
  })

  it('is the same however the text arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(GO.length), { maxLength: 20 }), async (cuts) => {
        const sorted = cuts.toSorted((one, other) => one - other)
        expect(await preview(GO, 300, undefined, {}, sorted)).toBe(await preview(GO, 300))
      }),
      propertyRuns(8, 200),
    )
  })

  it('shows more lines for a larger budget, and all lines if they fit', async () => {
    let before = 0
    for (const budget of [100, 400, 1_000, 3_000]) {
      const tokens = estimateTokens((await preview(GO, budget))!)
      expect(tokens).toBeLessThanOrEqual(budget)
      expect(tokens).toBeGreaterThan(before)
      before = tokens
    }
    const all = (await preview(GO, 100_000))!
    expect(accounted(all, GO)).toMatchObject({ hidden: 0 })
  })

  it.each([1, 2, 3, 5, 8, 13, 21, 34])('fits even %d tokens', async (budget) => {
    expect(estimateTokens((await preview(GO, budget))!)).toBeLessThanOrEqual(budget)
  })

  it('cuts the line numbers of a tool, and shows the line numbers of the text', async () => {
    const shown = (await preview(numbered(GO), 400))!
    expect(shown).not.toContain('→')
    expect(shown.split('\n')[0]).toMatch(/^\[Go, \d+ lines, 40 definitions\]$/)
    const part = (await preview(numbered(GO, 101), 400))!
    expect(part.split('\n')[0]).toContain('; file line = number + 100]')
  })

  it('tells the line numbers of the file if the call asked for a part', async () => {
    const lines = GO.split('\n').slice(0, 200).join('\n')
    const shown = (await preview(lines, 300, { command: 'sed -n 51,250p a.go' }))!
    expect(shown.split('\n')[0]).toContain('; file line = number + 50]')
  })

  it('shows the lines, definitions and words that the call looks for', async () => {
    const source = GO.split('\n')
    const line = source.findIndex((each) => each.startsWith('func Step31(')) + 4
    for (const input of [
      { path: `a.go:${line}` },
      { path: 'a.go', pattern: 'Step31' },
      { path: 'a.go', query: 'what does `Step31` do' },
    ]) {
      const { lines } = accounted((await preview(GO, 500, input))!, GO)
      expect(lines, JSON.stringify(input)).toEqual(expect.arrayContaining([line - 3, line - 2]))
    }
  })

  it('shows both sides of a conflict first', async () => {
    const conflict = '<<<<<<< HEAD\n\tcount := 1\n=======\n\tcount := 2\n>>>>>>> branch'
    const text = `${GO}func Last() {\n${conflict}\n}\n${GO}`
    expect(await preview(text, 700)).toContain(conflict)
  })

  it('hides the remarks of a tool, except those about omitted lines', async () => {
    const text = `<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\n${GO}</output_head>\n<elided_chars>\n5,321 characters elided\n</elided_chars>\n<output_tail>\n${GO}</output_tail>`
    const shown = (await preview(text, 900, { command: 'cat a.go' }))!
    expect(shown).not.toContain('Too long.')
    expect(shown).toContain('5,321 characters elided')
  })

  it('takes the definitions of an outliner, which gets the code without numbers', async () => {
    let seen = ''
    // It spans the file, so that what patterns find stands in it.
    const symbol: OutlineSymbol = {
      name: 'Anything',
      kind: 'function',
      line: 1,
      endLine: 10_000,
      depth: 0,
      signature: '',
    }
    const outline = async (text: string, language: string): Promise<OutlineSymbol[] | undefined> => {
      seen = text
      return language === 'go' ? [symbol] : undefined
    }
    expect(await preview(numbered(GO), 200, undefined, { outline })).not.toMatch(/^\d+ Step/m)
    expect(seen).toBe(GO)
    expect(await preview(GO, 200, undefined, { outline: async () => undefined })).toMatch(/^\d+ Step30$/m)
  })

  it('leaves minified code to other previewers', async () => {
    expect(await preview(`const a=${'f(1);'.repeat(2_000)}\n`.repeat(3), 300, { path: 'a.js' })).toBeUndefined()
  })

  it('refuses bad options early, by name', () => {
    expect(() => sourcePreviewer({ outline: 'x' as unknown as () => Promise<undefined> })).toThrow(/outline/)
  })

  it('returns a preview within the budget for hostile content', async () => {
    for (const part of [
      '(',
      '{\n',
      '\n',
      'func a() {\n',
      '\t',
      '/*',
      'a, \n',
      '"""\n',
      '1: x\n',
      '<<<<<<< a\n',
      '\u0000\n',
      '\uD83D',
    ]) {
      const text = `package a\n${part.repeat((isFull ? 1_500_000 : 300_000) / part.length)}`
      const shown = (await preview(text, 500)) ?? ''
      expect(estimateTokens(shown), JSON.stringify(part)).toBeLessThanOrEqual(500)
    }
  }, 60_000)
})
