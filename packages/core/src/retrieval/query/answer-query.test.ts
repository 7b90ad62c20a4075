import { countTurns } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adoptStorage } from '../../content/adopt-storage.ts'
import { countTokens, storageOf, withoutFences, type Entries } from '../../../test/retrieval-fixture.ts'
import { formatRetrievalCall, type RetrievalContext } from '../retrieval-tool.ts'
import { writeAnswer } from '../write-answer.ts'
import { answerQuery } from './answer-query.ts'
import type { QueryRequest } from './read-passage.ts'

function contextOf(entries: Entries, options: Partial<RetrievalContext> = {}): RetrievalContext {
  return {
    storage: adoptStorage(storageOf(entries, options.scoped ?? false)),
    scoped: false,
    maxTokens: 2_500,
    countTokens,
    maxMediaBytes: 1_000_000,
    deadlineMs: 60_000,
    formatCall: formatRetrievalCall,
    blockBytes: 524_288,
    signal: undefined,
    pause: async (waiting) => await waiting,
    ...options,
  }
}

async function answerText(call: QueryRequest, context: RetrievalContext): Promise<string> {
  return withoutFences(writeAnswer(await answerQuery(call, context), context).text)
}

function ask(
  content: string | Uint8Array,
  query: string,
  request: Partial<QueryRequest> = {},
  options: Partial<RetrievalContext> = {},
): Promise<string> {
  const call: QueryRequest = { mode: 'query', reference: 'log', query, after: 0, ...request }
  return answerText(call, contextOf({ log: { content } }, options))
}

/** Numbers of the lines that an answer shows, those with words only if `marked`. */
function linesShown(answer: string, marked = false): number[] {
  return [...answer.matchAll(marked ? /^> +?(\d+)\| /gm : /^[> ] +(\d+)\| /gm)].map(([, number]) => Number(number))
}

const noise = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `${from + index} served page ${(index * 7) % 13} to a visitor`)

describe('answerQuery', () => {
  it('shows progress output like a terminal, or completely if a searched word is in an earlier state', async () => {
    const progress = (word: string): string =>
      `${Array.from({ length: 40 }, (_, index) => `got ${index} ${word}`).join('\r')}\rdone`.padEnd(20)
    const answer = await ask(`${progress('files')}\npayment declined\n${progress('refunds')}`, 'payment')
    expect(answer).toContain('  1| got 39 files done\n> 2| payment declined\n  3| got 39 refunds done')
    expect(await ask(progress('refunds'), 'refunds')).toContain('> 1| got 39 refunds done')
    expect(await ask('checking\rall is done', 'checking')).toContain('> 1| checking␍all is done')
  })

  it('shows the best passage first, with the lines around it', async () => {
    const lines = [...noise(40), 'payment 17 was declined', 'the bank refused the card', ...noise(40, 42)]
    expect(await ask(lines.join('\n'), 'why did the bank refuse the payment')).toBe(
      [
        '[1 of 1 passage for "why did the bank refuse the payment", best first; lines with its words: bank 1, refuse 1, payment 1]',
        '',
        ...noise(40)
          .slice(38)
          .map((line, index) => `  ${39 + index}| ${line}`)
          .toSpliced(0, 0, `  39| ${lines[38]!}`)
          .slice(1),
        '> 41| payment 17 was declined',
        '> 42| the bank refused the card',
        ...lines.slice(42, 47).map((line, index) => `  ${43 + index}| ${line}`),
      ].join('\n'),
    )
  })

  it('shows one of several passages that differ only in numbers', async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      index % 10 === 0 ? `2026-01-01T00:00:${index} request ${index + 10} failed with status 503` : `tick ${index}`,
    )
    lines[1_234] = 'the request failed because the disk is full'
    const answer = await ask(lines.join('\n'), 'request failed')
    expect(answer).toMatch(/^\[2 of 2 passages .*: request 301, failed 301/)
    expect(answer).toContain('> 1235| the request failed because the disk is full')
    expect(answer).toMatch(/\[and \d{3} more passages like this, the first at line \d/)
  })

  it('names words that do not occur', async () => {
    const answer = await ask('the payment was declined', 'paymnet declined refunded')
    expect(answer).toContain('[Nowhere: paymnet, refunded]\n')
    expect(await ask('nothing of it\nhere', 'refunded payment')).toBe(
      [
        '[0 passages for "refunded payment": none of its words is in 2 lines]',
        '[Nowhere: refunded, payment]',
        '[A pattern also finds parts of words: retrieve_offloaded_content {"reference":"log","pattern":"refu","ignore_case":true}]',
      ].join('\n'),
    )
    expect(await ask('', 'payment')).toContain('none of its words is in 0 lines')
  })

  it('finds the failure words that a question implies', async () => {
    const lines = [...noise(300), 'fatal: unable to open the database', ...noise(300)]
    const answer = await ask(lines.join('\n'), 'What went wrong?')
    expect(linesShown(answer, true)[0]).toBe(301)
  })

  it('gives the line numbers of the stored content', async () => {
    const lines = ['\uFEFFfirst', 'sec\u2028ond\r', '', 'third needle\r', 'x\rneedle in it', 'needle at the end\n']
    const answer = await ask(lines.join('\n'), 'needle')
    expect(linesShown(answer, true)).toEqual([4, 5, 6])
    expect(answer).toContain('  1| first\n')
    expect(answer).toContain('> 4| third needle\n')
  })

  it('shows a part of a very long line, with its byte offset', async () => {
    const json = JSON.stringify(
      Array.from({ length: 20_000 }, (_, id) => ({ id, state: id === 9_999 ? 'payment declined' : 'settled' })),
    )
    const answer = await ask(`[\n${json}\n]\n`, 'declined payment')
    const byte = json.indexOf('payment declined') + 3
    const [, from = '', to = '', of = ''] =
      /^> 2\| .*payment declined.*\[bytes ([\d,]+)-([\d,]+) of 3-([\d,]+)\]$/m.exec(answer) ?? []
    const number = (text: string): number => Number(text.replaceAll(',', ''))
    expect(number(from)).toBeLessThanOrEqual(byte)
    expect(number(to)).toBeGreaterThan(byte)
    expect(number(of)).toBe(json.length + 2)
  })

  it('stays within its limit, and each page continues the previous page', async () => {
    const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet'.split(' ')
    const lines = Array.from({ length: 1_600 }, (_, index) =>
      index % 20 === 0
        ? `the ${words[index % 7]} ${words[(index / 20) % 10]} needle ${words[(index * 3) % 9]} fell ${'of the tree '.repeat(index % 6)}`
        : `hay ${index}`,
    )
    for (const maxTokens of [2_500, 600, 200]) {
      const seen = new Set<number>()
      let after = 0
      let total = 0
      for (let page = 0; page < 500; page++) {
        const answer = await ask(lines.join('\n'), 'needle', { after }, { maxTokens })
        expect(countTokens(answer)).toBeLessThanOrEqual(maxTokens)
        const [, shown = '', all = ''] = /^\[([\d,]+) of ([\d,]+) passages/.exec(answer) ?? []
        total = Number(all)
        for (const line of linesShown(answer, true)) {
          expect(seen.has(line)).toBe(false)
          seen.add(line)
        }
        const next = /"after":(\d+)\}\]$/.exec(answer)?.[1]
        if (next === undefined) break
        expect(Number(next)).toBe(after + Number(shown))
        after = Number(next)
      }
      expect(seen.size).toBe(total)
    }
  })

  it('refuses questions without words and binary content', async () => {
    await expect(ask('text', '?! … 🙂')).rejects.toMatchObject({ name: 'RetrievalError', code: 'invalid-input' })
    const binary = contextOf({ log: { content: 'text', contentType: 'image/png' } })
    const call: QueryRequest = { mode: 'query', reference: 'log', query: 'text', after: 0 }
    await expect(answerQuery(call, binary)).rejects.toMatchObject({ code: 'not-text' })
    await expect(ask('text', 'text', { reference: 'gone' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('searches for question words if the question has no other words', async () => {
    expect(await ask('to be or not to be', 'why not')).toContain('> 1| to be or not to be')
  })

  it('stops at its deadline, and reports its progress', async () => {
    const answer = await ask('needle in a line\n'.repeat(400_000), 'needle', {}, { deadlineMs: -1_000_000 })
    expect(answer).toMatch(
      /\[The time limit was reached after [\d,]+ lines, 0 % of the content: the rest is not ranked\]/,
    )
    expect(answer).toContain('> 1| needle in a line')
  })

  it('ends if its signal aborts', async () => {
    const controller = new AbortController()
    const content = 'needle in a line\n'.repeat(200_000)
    setImmediate(() => controller.abort())
    await expect(ask(content, 'needle', {}, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
  })

  it('yields to the event loop', async () => {
    const content = 'needle in a line of hay\n'.repeat(150_000)
    expect(await countTurns(() => ask(content, 'why did the needle fail in hay'))).toBeGreaterThan(4)
  })
})

describe('answerQuery in a scope', () => {
  const entries: Entries = {
    older: { content: [...noise(20), 'the payment was declined by the bank', ...noise(20)].join('\n') },
    picture: { content: 'payment declined', contentType: 'image/png' },
    other: { content: noise(30).join('\n') },
    newer: { content: ['a payment', ...noise(50), 'another payment is due'].join('\n') },
  }
  const call: QueryRequest = {
    mode: 'query',
    reference: undefined,
    query: 'payment declined',
    after: 0,
  }

  it('shows the best passages of everything, by reference', async () => {
    const answer = await answerText(call, contextOf(entries, { scoped: true }))
    expect(answer).toMatch(
      /^\[3 of 3 passages for "payment declined" in 2 of 3 stored results, best first; lines with its words: payment 3, declined 1\]/,
    )
    expect(answer.match(/^== \w+/gm)).toEqual(['== older', '== newer'])
    expect(linesShown(answer, true)).toEqual([21, 1, 52])
  })

  it('continues at the end of the previous page', async () => {
    const context = contextOf(entries, { scoped: true })
    const pages = await Promise.all([0, 1, 2].map((after) => answerText({ ...call, after }, context)))
    expect(pages.map((page) => linesShown(page, true).length)).toEqual([3, 2, 1])
    expect(pages[2]).not.toContain('To continue')
  })

  it('does not let one entry displace all others', async () => {
    const letters = (index: number): string => String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))
    const many: Entries = {
      small: { content: [...noise(100), 'payment declined'].join('\n') },
      large: {
        content: Array.from({ length: 200 }, (_, index) =>
          index % 20 === 0 ? `payment declined by ${letters(index)} ${letters(index + 1)}` : 'tick',
        ).join('\n'),
      },
    }
    const answer = await answerText(call, contextOf(many, { scoped: true }))
    expect(answer).toContain('== small')
  })

  it('reports that no entry has the words, and rejects a query without a scope', async () => {
    const answer = await answerText({ ...call, query: 'refund' }, contextOf(entries, { scoped: true }))
    expect(answer).toBe('[0 passages for "refund": none of its words is in 3 stored results]\n[Nowhere: refund]')
    await expect(answerQuery(call, contextOf(entries))).rejects.toMatchObject({ code: 'invalid-input' })
  })
})

describe('any answer of answerQuery', () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom(
        'payment declined',
        'payment',
        'hay',
        '',
        'it failed',
        'x'.repeat(1_500),
        'declined payment '.repeat(90),
      ),
      fc.string({ unit: 'grapheme', maxLength: 30 }).map((line) => line.replaceAll('\n', ' ')),
    ),
    { maxLength: 60 },
  )

  it('does not depend on the size of the blocks in which content is read', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 100 }), async (lines, blockBytes) => {
        const content = lines.join('\n')
        const answer = await ask(content, 'payment declined')
        expect(await ask(content, 'payment declined', {}, { blockBytes })).toBe(answer)
      }),
      propertyRuns(20, 600),
    )
  })

  it('shows lines under their own numbers', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (lines) => {
        const stored = lines.join('\n').split('\n')
        const answer = await ask(lines.join('\n'), 'payment declined')
        for (const [, number, shown] of answer.matchAll(/^[> ] +(\d+)\| (.*)$/gmu)) {
          const line = stored[Number(number) - 1]!
          if (line.length < 1_000 && !/[\r\v\f\u0085\u2028\u2029\uFEFF\uFFFD]/.test(line) && line.isWellFormed()) {
            expect(shown).toBe(line)
          }
        }
      }),
      propertyRuns(40, 1_000),
    )
  })

  it('answers any question in words about any content', async () => {
    const query = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.string({ unit: codePoint, maxLength: 50 }),
    )
    await fc.assert(
      fc.asyncProperty(query, fc.uint8Array({ maxLength: 2_000 }), async (asked, content) => {
        try {
          const answer = await ask(content, `${asked} payment`, {}, { maxTokens: 300 })
          expect(countTokens(answer)).toBeLessThanOrEqual(300)
        } catch (error) {
          expect(error).toMatchObject({ code: 'not-text' })
        }
      }),
      propertyRuns(12, 400),
    )
  })

  it('answers hostile questions', async () => {
    const content = `${'a'.repeat(300_000)}\n${'((((.*)+)+)+ '.repeat(10_000)}\nneedle\n${'\u202e\u0645'.repeat(1_000)}`
    const many = Array.from({ length: 10_000 }, (_, index) => `word${index}`).join(' ')
    for (const query of [
      `needle ${many}`,
      '(a+)+$ needle',
      `${'a'.repeat(100_000)} needle`,
      `needle ${'a_'.repeat(9_000)}`,
    ]) {
      expect(await ask(content, query)).toMatch(/^\[\d+ (?:of \d+ )?passages?/)
    }
  })
})
