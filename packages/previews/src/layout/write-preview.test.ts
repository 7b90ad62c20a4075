import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import type { Item, PreviewModel } from './preview-model.ts'
import { showItem, writePreview } from './write-preview.ts'
import { lineItem } from '../../test/line-item.ts'

const showLines = (start: number, end: number): string => `show ${start}-${end}`

interface Line {
  readonly words: number
  readonly value: number
  readonly isLone: boolean
}

/** Return items for lines. Lines without words are blank. */
function itemsOf(lines: readonly Line[]): Item[] {
  const items: Item[] = []
  let blanks = 0
  let heading: Item | undefined
  for (const [index, { words, value, isLone }] of lines.entries()) {
    if (words === 0) {
      blanks++
      continue
    }
    const item: Item = {
      start: index + 1,
      end: index + 1,
      text: `line${index + 1}${' word'.repeat(words)}`,
      tail: '',
      hidden: 0,
      blanks,
      value,
      part: isLone ? 0 : 1,
      parent: isLone ? undefined : heading,
      note: '',
      numbered: isLone,
      lone: isLone,
    }
    if (isLone) heading = item
    items.push(item)
    blanks = 0
  }
  return items
}

const lines = fc.array(
  fc.record({ words: fc.integer({ min: 0, max: 12 }), value: fc.integer({ min: 1, max: 40 }), isLone: fc.boolean() }),
  { minLength: 5, maxLength: 160 },
)

/** Lines that depend on their neighbors, with at most one blank line between two lines. */
const filled = lines.map((all) =>
  all.map((line, index) => ({
    ...line,
    words: index % 2 === 0 || index === all.length - 1 ? line.words + 1 : line.words,
    isLone: false,
  })),
)

const preview = (all: readonly Line[]): PreviewModel => ({
  items: itemsOf(all),
  lines: all.length,
  header: `${all.length} lines`,
  shares: [0.4, 0.6],
  lineShare: 0.2,
  endShare: 0,
})

describe('writePreview', () => {
  it('never exceeds the budget of any tokenizer', async () => {
    const counters = fc.constantFrom(countTokens, estimateTokens, (text: string) => text.length * 2 + 3)
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(400), counters, async (all, budgetTokens, counter) => {
        const text = await writePreview(preview(all), { budgetTokens, countTokens: counter, showLines })
        expect(text === '' ? 0 : counter(text)).toBeLessThanOrEqual(budgetTokens)
      }),
    )
  })

  it('shows every line if all fit, and adds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(filled, async (all) => {
        const items = itemsOf(all)
        const text = await writePreview(preview(all), { budgetTokens: 100_000, countTokens, showLines })
        const whole = Array.from({ length: all.length }, (_, index) => items.find(({ start }) => start === index + 1))
        expect(text).toBe(whole.map((item) => item?.text ?? '').join('\n'))
      }),
    )
  })

  it('gives correct line numbers, and counts every line as shown or hidden', async () => {
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 30, max: 500 }), async (all, budgetTokens) => {
        const text = await writePreview(preview(all), { budgetTokens, countTokens, showLines })
        fc.pre(text.startsWith(`[${all.length} lines]`))
        let counted = 0
        let calls = 0
        for (const line of text.split('\n').slice(1)) {
          const gap = /^\[… (\d+) lines?(?:, all but these (\d+))?(: show .*)?\]$/.exec(line)
          if (gap === null) counted++
          else counted += Number(gap[1]) - Number(gap[2] ?? 0)
          if (gap?.[3] !== undefined) calls++
          const shown = /^(?:(\d+)\| )?line(\d+)/.exec(line)
          if (shown?.[1] !== undefined) expect(shown[1]).toBe(shown[2])
        }
        // Blank lines before the first line with words are left out. The line number shows how many.
        const blanksFirst = all.findIndex(({ words }) => words > 0)
        expect(counted).toBeLessThanOrEqual(all.length)
        expect(counted).toBeGreaterThanOrEqual(all.length - Math.max(0, blanksFirst) - 1)
        expect(calls).toBeLessThanOrEqual(1)
      }),
      { numRuns: 300 },
    )
  })

  it('shows an item with its parents', async () => {
    const all = Array.from({ length: 200 }, (_, index) => ({
      words: 6,
      value: index === 77 ? 900 : 1,
      isLone: index % 20 === 0,
    }))
    const text = await writePreview(preview(all), { budgetTokens: 60, countTokens })
    expect(text).toContain('61| line61 ')
    expect(text).toContain('line78 ')
  })

  it('lists single items with one mark for all gaps between them', async () => {
    const all = Array.from({ length: 100 }, (_, index) => ({
      words: 2,
      value: index % 10 === 0 ? 50 : 0,
      isLone: index % 10 === 0,
    }))
    const text = await writePreview(preview(all), { budgetTokens: 90, countTokens, showLines })
    expect(text).toMatch(
      /^\[100 lines\]\n\[… \d+ lines, all but these \d+: show 1-\d+\]\n1\| line1 word word\n11\| line11 word word\n/,
    )
  })

  it('cuts one long line to the budget', async () => {
    const items = [{ ...itemsOf([{ words: 1, value: 1, isLone: false }])[0]!, text: 'many words '.repeat(10_000) }]
    const options = { budgetTokens: 200, countTokens }
    const text = await writePreview(
      { items, lines: 1, header: '1 line', shares: [1, 0], lineShare: 0.1, endShare: 0.3 },
      options,
    )
    expect(text).toMatch(/ \[… [\d,]+ more characters …\]/)
    expect(countTokens(text)).toBeGreaterThan(180)
  })

  it('chooses among very many items', async () => {
    const all = Array.from({ length: 200_000 }, (_, index) => ({
      words: 3,
      value: (index * 31) % 97,
      isLone: index % 9 === 0,
    }))
    const written = await writePreview(preview(all), { budgetTokens: 1_000, countTokens: estimateTokens })
    expect(estimateTokens(written)).toBeGreaterThan(900)
  })
})

const item = (text: string, more: Partial<Item> = {}): Item => lineItem({ text, ...more })

describe('showItem', () => {
  it('shows a short line whole, as a terminal does, with its note', async () => {
    expect(showItem(item('\u001b[1msteps:\u001b[0m', { note: '12 items' }), 80, 0)).toBe('steps: [12 items]')
  })

  it('cuts at the end of a nearby sentence, and counts the hidden characters', async () => {
    const text = 'One sentence that is not short. Another one that goes on for quite a while'
    expect(showItem(item(text), 50, 0)).toBe('One sentence that is not short. [… 43 more characters]')
    expect(showItem(item('他说的话很有道理。然后他就走了没有再回来'), 14, 0)).toBe(
      '他说的话很有道理。 [… 11 more characters]',
    )
  })

  it('cuts between words if no sentence ends nearby', async () => {
    expect(showItem(item('some words without any end of a sentence'), 20, 0)).toBe(
      'some words without [… 22 more characters]',
    )
  })

  it('also shows the end of a line if requested, and counts the part that was not kept', async () => {
    const shown = showItem(item('a'.repeat(100), { tail: 'b'.repeat(100), hidden: 1_000 }), 20, 0.5)
    expect(shown).toBe(`${'a'.repeat(10)} [… 1,180 more characters …]${'b'.repeat(10)}`)
  })

  it('never cuts a grapheme', async () => {
    expect(showItem(item('👩‍👩‍👧‍👦'.repeat(4)), 15, 0)).toBe('👩‍👩‍👧‍👦 [… 33 more characters]')
  })
})
