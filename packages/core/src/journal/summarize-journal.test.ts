import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { ContextOffloader } from '../offload/context-offloader.ts'
import type { EventJournal, JournalEvent } from './event-journal.ts'
import { summarizeJournal } from './summarize-journal.ts'

const log = (lines: number, word: string): string =>
  Array.from({ length: lines }, (_, line) => `line ${line} of the ${word}, status=${line % 7}`).join('\n')

class ListJournal implements EventJournal {
  readonly events: JournalEvent[] = []

  append(event: JournalEvent): void {
    this.events.push(event)
  }

  async *read(since = 0): AsyncGenerator<JournalEvent> {
    for (const event of this.events) if (event.time >= since) yield event
  }
}

/** Offloads and reads in several scopes, with every kind of call that the meter counts. */
async function work(offloader: ContextOffloader): Promise<string[]> {
  const references: string[] = []
  for (const [tenant, tool] of [
    ['a', 'read_log'],
    ['a', 'query'],
    ['b', 'read_log'],
  ] as const) {
    const session = offloader.forScope(tenant, 'secret@example.com')
    const offload = async (lines: number): Promise<string> => {
      const content = [{ type: 'text' as const, text: log(lines, 'secret-content') }]
      const outcome = await session.offload({ toolName: tool, toolCallId: `call_${lines}`, input: 'argument', content })
      if (outcome.status !== 'offloaded') throw new Error(`stays ${outcome.reason}`)
      return outcome.stored[0]?.reference ?? ''
    }
    const first = await offload(600)
    const second = await offload(800)
    references.push(first, second)
    const { retrievalTool } = session
    await retrievalTool.execute({ reference: first, pattern: 'status=3' })
    await retrievalTool.execute({ reference: first, line_range: { start: 5, end: 9 } })
    await retrievalTool.execute({ pattern: 'secret-pattern' })
    await retrievalTool.execute({ reference: 'secret-word' })
    await retrievalTool.execute({ reference: second, pattern: '' })
    // The same result again, which is read again.
    await offload(600)
    await retrievalTool.execute({ reference: first })
    await session.offload({ toolName: tool, toolCallId: 'small', content: [{ type: 'text', text: 'small' }] })
    await session.endTurn()
  }
  return references
}

describe('summarizeJournal', () => {
  it('has the same totals as the meter', async () => {
    const journal = new ListJournal()
    const offloader = new ContextOffloader({ storage: tinyStorage(), journal })
    await work(offloader)
    const { total, groups } = await summarizeJournal(journal)
    const { results, failed: _failed, shadowed, tokensShadowed, ...meter } = offloader.meter()
    expect([shadowed, tokensShadowed]).toEqual([0, 0])
    expect(results).toBeGreaterThan(meter.offloaded)
    expect(meter).toMatchObject({ offloaded: 9, retrievals: 18 })
    expect(total).toEqual(meter)
    expect(groups).toEqual([])
  })

  it('has the same totals as the meters of two processes together', async () => {
    const journal = new ListJournal()
    const offloaders = [tinyStorage(), tinyStorage()].map((storage) => new ContextOffloader({ storage, journal }))
    for (const [index, offloader] of offloaders.entries()) await work(offloader.forScope(`process ${index}`))
    const meters = offloaders.map((offloader) => offloader.meter())
    const { total } = await summarizeJournal(journal)
    const sum = (name: 'tokensNet' | 'offloaded' | 'retrievals' | 'tokensRetrieved'): number =>
      meters.reduce((all, meter) => all + meter[name], 0)
    for (const name of ['tokensNet', 'offloaded', 'retrievals', 'tokensRetrieved'] as const)
      expect(total[name]).toBe(sum(name))
  })

  it('sums up each tool, including answers to calls that read its results, and each scope with its child scopes', async () => {
    const journal = new ListJournal()
    await work(new ContextOffloader({ storage: tinyStorage(), journal }))
    const { total, groups } = await summarizeJournal(journal, { by: 'tool' })
    expect(groups.map(({ name, offloaded, bounceRate }) => [name, offloaded, bounceRate])).toEqual([
      ['read_log', 6, 1],
      ['query', 3, 1],
      ['(search)', 0, 0],
    ])
    expect(groups.reduce((sum, { tokensNet }) => sum + tokensNet, 0)).toBe(total.tokensNet)
    const [a, b, none] = await Promise.all(
      ['a', 'b', 'ab'].map(async (scope) => (await summarizeJournal(journal, { scope: [scope] })).total.offloaded),
    )
    expect([a, b, none]).toEqual([6, 3, 0])
  })

  it('refuses a scope that is a text', async () => {
    const journal = { async *read(): AsyncGenerator<never> {} }
    await expect(summarizeJournal(journal, { scope: 'tenant' as never })).rejects.toThrow(
      'must be an array of segments',
    )
  })

  it('counts tokens on the day of the call, and a bounce on the day of the offload', async () => {
    const day = (date: number): { time: number; scope: string } => ({
      time: Date.UTC(2026, 0, date, 23, 59),
      scope: '',
    })
    const tokens = { original: 1_000, replacement: 100 }
    const journal = new ListJournal()
    journal.events.push(
      { type: 'offload', ...day(1), tool: 'one', references: ['a', 'b'], tokens },
      { type: 'offload', ...day(2), tool: 'one', references: ['c'], tokens },
      { type: 'retrieval', ...day(2), mode: 'lines', reference: 'b', tokens: 30 },
      { type: 'retrieval', ...day(2), mode: 'lines', reference: 'a', tokens: 40 },
      { type: 'eviction', ...day(3), reference: 'a', size: 10, reason: 'turns' },
    )
    const { groups } = await summarizeJournal(journal, { by: 'day' })
    expect(groups).toMatchObject([
      { name: '2026-01-01', offloaded: 1, bounceRate: 1, tokensRetrieved: 0, tokensNet: 900 },
      { name: '2026-01-02', offloaded: 1, bounceRate: 0, tokensRetrieved: 70, tokensNet: 830 },
    ])
    expect((await summarizeJournal(journal, { since: day(2).time })).total).toMatchObject({
      offloaded: 1,
      retrievals: 2,
    })
  })
})

describe('a journal of an offloader', () => {
  it('has the tool, references, preview, scope and tokens, but no content, arguments or patterns', async () => {
    const journal = new ListJournal()
    const references = await work(new ContextOffloader({ storage: tinyStorage({ evictAfterTurns: 1 }), journal }))
    expect(journal.events[0]).toEqual({
      type: 'offload',
      time: expect.any(Number),
      scope: 'a/secret_40example_2ecom',
      tool: 'read_log',
      references: [references[0]],
      preview: 'log',
      tokens: { original: expect.any(Number), replacement: expect.any(Number) },
    })
    const text = JSON.stringify(journal.events)
    for (const secret of ['secret-content', 'secret-pattern', 'secret-word', 'argument', 'status=3'])
      expect(text).not.toContain(secret)
  })

  it('records evictions at the end of a turn', async () => {
    const journal = new ListJournal()
    const session = new ContextOffloader({ storage: tinyStorage({ evictAfterTurns: 1 }), journal }).forScope('a')
    await session.offload({ toolName: 't', toolCallId: '1', content: [{ type: 'text', text: log(3_000, 'x') }] })
    await session.endTurn()
    await session.endTurn()
    expect(journal.events.map(({ type }) => type)).toEqual(['offload', 'eviction'])
    expect(journal.events[1]).toMatchObject({ scope: 'a', reason: 'turns', size: expect.any(Number) })
  })

  it.each(['throws', 'rejects', 'hangs'])('loses no result if it %s, and warns at most once', async (way) => {
    const warnings: string[] = []
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation((message) => void warnings.push(String(message)))
    onTestFinished(() => warn.mockRestore())
    const journal: EventJournal = {
      append() {
        if (way === 'throws') throw new Error('down')
        return way === 'rejects' ? Promise.reject(new Error('down')) : new Promise<void>(() => {})
      },
      async *read() {},
    }
    const offloader = new ContextOffloader({ storage: tinyStorage(), journal })
    const references = await work(offloader)
    expect(references).toHaveLength(6)
    expect(warnings.filter((message) => message.startsWith('The journal failed'))).toHaveLength(way === 'hangs' ? 0 : 1)
  })

  it('is refused if it is not a journal', () => {
    const options = { storage: tinyStorage(), journal: {} as EventJournal }
    expect(() => new ContextOffloader(options)).toThrow('journal must have the methods append() and read()')
  })
})
