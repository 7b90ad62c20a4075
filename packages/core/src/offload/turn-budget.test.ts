import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { log, textBlock, setUp } from '../../test/offloader-bench.ts'
import type { Outcome } from './offload-request.ts'

describe('a turn with several results', () => {
  const request = (index: number, lines: number, of: object = {}) => ({
    toolName: 'read_log',
    toolCallId: `call_${index}`,
    content: [textBlock(log(lines))],
    ...of,
  })
  const tokensOf = (outcomes: readonly Outcome[]): number =>
    outcomes.reduce((sum, { tokens }) => sum + ('replacement' in tokens ? tokens.replacement : tokens.original), 0)

  test.each([5n, Symbol('2'), '2', 0])('cannot have %o calls', async (callsInTurn) => {
    const { offloader } = setUp({ maxTurnTokens: 4_000 })
    await expect(offloader.offload(request(0, 1, { callsInTurn }))).rejects.toThrow('callsInTurn must be a number')
  })

  test('is an array', async () => {
    const { offloader } = setUp({})
    await expect(offloader.offloadAll(request(0, 1) as never)).rejects.toThrow('takes an array of requests')
    await expect(offloader.inTurn((async () => {}) as never)).rejects.toThrow('takes an array of functions')
  })

  test('stays within its budget, and stores results that exceed only that budget', async () => {
    const { offloader, entries, events } = setUp({ maxTurnTokens: 4_000 })
    const outcomes = await offloader.offloadAll([0, 1, 2, 3].map((index) => request(index, index === 1 ? 20 : 240)))
    expect(outcomes.map(({ status }) => status)).toEqual(['offloaded', 'inline', 'offloaded', 'offloaded'])
    expect(tokensOf(outcomes)).toBeLessThanOrEqual(4_000)
    expect(entries.size).toBe(3)
    expect(events).toMatchObject(Array.from({ length: 3 }, () => ({ type: 'offload', reason: 'turn-budget' })))
  })

  test('measures the duration of each result without the wait for the others', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => clock.mockRestore())
    const { offloader, events } = setUp({ maxTurnTokens: 2_000 })
    await offloader.inTurn([
      async (turn) => turn.offload(request(0, 240)),
      async (turn) => {
        // All microtasks of the first result run before this result is offloaded.
        await new Promise(setImmediate)
        now = 60_000
        return turn.offload(request(1, 240))
      },
    ])
    expect(events).toMatchObject([{ durationMs: 0 }, { durationMs: 0 }])
  })

  test('keeps its results unchanged if they fit its budget', async () => {
    const { offloader, entries } = setUp({ maxTurnTokens: 8_000 })
    const outcomes = await offloader.offloadAll([0, 1, 2].map((index) => request(index, 240)))
    expect(outcomes.map(({ status }) => status)).toEqual(['inline', 'inline', 'inline'])
    expect(entries.size).toBe(0)
  })

  test('does not wait for a call without a result', async () => {
    const { offloader } = setUp({ maxTurnTokens: 2_200 })
    const [without, outcome] = await offloader.inTurn<unknown>([
      async () => 'no result',
      async (turn) => turn.offload(request(1, 240)),
    ])
    expect(without).toBe('no result')
    expect(outcome).toMatchObject({ status: 'inline' })
    await expect(
      offloader.inTurn([
        async () => Promise.reject(new Error('failed')),
        async (turn) => turn.offload(request(1, 240)),
      ]),
    ).rejects.toThrow('failed')
  })

  test('counts answers of the retrieval tool, and does not reduce them', async () => {
    const { offloader } = setUp({ maxTurnTokens: 3_000 })
    const outcomes = await offloader.offloadAll([
      request(0, 240, { toolName: 'retrieve_offloaded_content' }),
      request(1, 240),
    ])
    expect(outcomes).toMatchObject([{ status: 'inline' }, { status: 'offloaded', reason: 'turn-budget' }])
  })

  test('gives an equal share to each result if results arrive one by one', async () => {
    const { offloader } = setUp({ maxTurnTokens: 4_000 })
    const outcomes = await Promise.all(
      [0, 1, 2, 3].map(async (index) => offloader.offload(request(index, index === 1 ? 20 : 240, { callsInTurn: 4 }))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['offloaded', 'inline', 'offloaded', 'offloaded'])
    expect(tokensOf(outcomes)).toBeLessThanOrEqual(4_000)
  })
})
