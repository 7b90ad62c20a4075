import { propertyRuns } from '@spillway-internal/test-run'
import { testPreviewers } from '@spillway-internal/test-run/test-previewers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InMemoryStorage } from '@spillway/memory'
import { ContextOffloader } from '@spillway/core'
import { formatOf, fuzzCases, MODELS, type FuzzCase } from '../test/compaction-fuzz.ts'
import { FORMAT_NAMES, validateHistory, type FormatName } from '../test/validate-history.ts'
import { compactHistory } from './compact-history.ts'
import { expandHistory } from './expand-history.ts'
import { HistoryCompactor } from './compactor/history-compactor.ts'
import { isEqualValue, type HistoryMessage } from './history-message.ts'
import type { Summarize } from './history-options.ts'
import { countMessage, TextCounter } from './measure/count-message.ts'

/** Histories of each format. A full run has 10,000 histories of all formats together. */
const ONCE = runs(30, Math.ceil(10_000 / FORMAT_NAMES.length))
/** Histories that are compacted before each model call. */
const REPEATED = runs(10, Math.ceil(10_000 / FORMAT_NAMES.length / 3))
/** Time limit for one history on a slow machine, in milliseconds. */
const TIMEOUT = 10_000

/**
 * Limits a run's time, and then reports the smallest failing history so far. Shrinking a history of megabytes takes an
 * hour.
 */
function runs(usual: number, full: number): fc.Parameters<unknown> & { readonly numRuns: number } {
  const parameters = propertyRuns(usual, full)
  return { ...parameters, interruptAfterTimeLimit: parameters.numRuns * 2_000, markInterruptAsFailure: true }
}

/** Problems that a validator found, without their positions, because compaction changes positions. */
const kinds = (problems: readonly string[]): string[] =>
  problems.map((problem) => problem.replace(/^(?:turn )?\d+: /, ''))

/** Answer each call like the next model of a list. The last model answers all further calls. */
function summarizeAs(models: FuzzCase['models']): Summarize {
  let asked = 0
  return async (request) => {
    const model: Summarize = MODELS[models[Math.min(asked++, models.length - 1)]!]
    return await model(request)
  }
}

/** Positions of messages that begin an answer of the model. */
const callsOf = (messages: readonly HistoryMessage[]): readonly number[] =>
  [...messages.keys()].filter(
    (index) => index > 0 && messages[index]?.role === 'assistant' && messages[index - 1]?.role !== 'assistant',
  )

const createOffloader = (evictAfterTurns: number | null): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns }).scope('a'), previewers: testPreviewers })

async function check(name: FormatName, { conversation, isValid, limits, models }: FuzzCase): Promise<void> {
  const format = formatOf(name)
  const offloader = createOffloader(null)
  const summarize = summarizeAs(models)
  const options = { offloader, format, summarize, summaryTimeoutMs: 5, ...limits }
  const frozen = deepFreeze(conversation)
  const outcome = await compactHistory(frozen, options)
  const { messages, tokens, fits, obstacles } = outcome

  // The compacted history has only problems that the original also has.
  const before = validateHistory(name, conversation)
  const after = validateHistory(name, messages)
  if (isValid) expect(before).toEqual([])
  if (before.length === 0) expect(after).toEqual([])

  // The history is within the limit or the outcome names obstacles, and the reported sizes are correct.
  const counter = new TextCounter(offloader.options.countTokens)
  const read = format.read(messages)
  const counted = read.reduce((sum, message) => sum + countMessage(message, counter.count), 0)
  expect(tokens.after).toBe(counted)
  expect(tokens.after).toBeLessThanOrEqual(tokens.before)
  expect(fits).toBe(tokens.after <= tokens.limit)
  expect(obstacles.length > 0).toBe(!fits)
  if (outcome.applied.length === 0) expect(messages).toBe(conversation)

  // All content can be restored.
  const expanded = await expandHistory(messages, { offloader, format })
  expect(expanded.missing).toEqual([])
  if (!isEqualValue(expanded.messages, conversation)) expect(expanded.messages).toEqual(conversation)

  // Compacting again changes nothing, except that a model may summarize more messages.
  const again = await compactHistory(messages, { ...options, summarize: undefined })
  if (limits.mode !== 'compress') expect(isEqualValue(again.messages, messages)).toBe(true)
  expect(validateHistory(name, again.messages)).toEqual(after)
}

/**
 * Continue a conversation from its compacted form: before each model call, new messages are added to the last result.
 */
async function checkKept(name: FormatName, { conversation, isValid, limits, models }: FuzzCase): Promise<void> {
  const format = formatOf(name)
  const offloader = createOffloader(null)
  const options = { offloader, format, summarize: summarizeAs(models), summaryTimeoutMs: 5, ...limits }
  const all = format.read(conversation)
  let retained: readonly HistoryMessage[] = []
  let from = 0
  for (const index of callsOf(all)) {
    const history = format.write([...retained, ...all.slice(from, index)])
    const { messages, fits, obstacles, tokens } = await compactHistory(history, options)
    const raw = format.write(all.slice(0, index))
    const problems = kinds(validateHistory(name, messages))
    if (isValid) expect(problems.filter((kind) => !kinds(validateHistory(name, raw)).includes(kind))).toEqual([])
    expect(fits).toBe(tokens.after <= tokens.limit)
    expect(obstacles.length > 0).toBe(!fits)
    const expanded = await expandHistory(messages, { offloader, format })
    expect(expanded.missing).toEqual([])
    if (!isEqualValue(expanded.messages, raw)) expect(expanded.messages).toEqual(raw)
    retained = format.read(messages)
    from = index
  }
}

/** Continue a conversation from its original form: before each model call, the whole uncompacted history is passed. */
async function checkLived(name: FormatName, { conversation, isValid, limits, models }: FuzzCase): Promise<void> {
  const format = formatOf(name)
  const offloader = createOffloader(8)
  const summarize = summarizeAs(models)
  const compactor = new HistoryCompactor({ offloader, format, summarize, summaryTimeoutMs: 5, ...limits })
  const all = format.read(conversation)
  for (const index of callsOf(all)) {
    const history = format.write(all.slice(0, index))
    const { messages, fits, obstacles, tokens } = await compactor.compact(history)
    const problems = kinds(validateHistory(name, messages))
    if (isValid) expect(problems.filter((kind) => !kinds(validateHistory(name, history)).includes(kind))).toEqual([])
    expect(fits).toBe(tokens.after <= tokens.limit)
    expect(obstacles.length > 0).toBe(!fits)
    const expanded = await expandHistory(messages, { offloader, format })
    expect(expanded.missing).toEqual([])
    if (!isEqualValue(expanded.messages, history)) expect(expanded.messages).toEqual(history)
    await offloader.endTurn()
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const one of Object.values(value)) deepFreeze(one)
  return Object.freeze(value)
}

describe.each(FORMAT_NAMES)('compaction of %s', (name) => {
  it(
    'keeps a history valid, loses nothing, and stays within the limit or names obstacles, for any answer of the model',
    {
      timeout: ONCE.numRuns * TIMEOUT,
    },
    async () => {
      await fc.assert(
        fc.asyncProperty(fuzzCases(name), (one) => check(name, one)),
        ONCE,
      )
    },
  )

  it(
    'does the same in a loop that passes the whole history to each call',
    {
      timeout: REPEATED.numRuns * TIMEOUT,
    },
    async () => {
      await fc.assert(
        fc.asyncProperty(fuzzCases(name), (one) => checkLived(name, one)),
        REPEATED,
      )
    },
  )

  it(
    'does the same in a loop that continues with the compacted history',
    {
      timeout: REPEATED.numRuns * TIMEOUT,
    },
    async () => {
      await fc.assert(
        fc.asyncProperty(fuzzCases(name), (one) => checkKept(name, one)),
        REPEATED,
      )
    },
  )
})
