import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { generatedCases } from '../cases/generated-cases.ts'
import type { AnswerCase, Kind } from '../answer-case.ts'
import { extractAnswer, isRight } from '../extract-answer.ts'
import { contextModeSystem } from './context-mode-system.ts'
import { deepagentsSystem } from './deepagents-system.ts'
import { shellSystems } from './shell-system.ts'
import { spillwaySystem } from './spillway-system.ts'
import { strandsSystem } from './strands-system.ts'
import type { Intent, Session, System } from './system.ts'

const SYSTEMS: readonly System[] = [
  spillwaySystem('test'),
  strandsSystem('test'),
  deepagentsSystem('test', 2_500),
  ...shellSystems.filter(({ name }) => name.startsWith('head')),
  ...contextModeSystem(),
]
const CASES = generatedCases(5, 2)
const open: Session[] = []

afterEach(() => {
  for (const session of open.splice(0)) session.close()
})

afterAll(async () => {
  for (const system of SYSTEMS) await system.close?.()
})

const casesOf = (kind: Kind): readonly AnswerCase[] => CASES.filter((one) => one.kind === kind)

async function openFirst(
  system: System,
  { results: [result], question }: AnswerCase,
): Promise<{ session: Session; lines: string[] }> {
  if (result === undefined) throw new Error('The case has no result.')
  const session = await system.open(result, question)
  open.push(session)
  return { session, lines: result.text.split('\n') }
}

async function ask(session: Session, intent: Intent): Promise<string | undefined> {
  const call = session.plan(intent)
  return call === undefined ? undefined : session.run(call)
}

describe.each(SYSTEMS.map((system) => ({ name: system.name, system })))('the driver of $name', ({ system }) => {
  test('shows exactly the requested lines', async () => {
    const { session, lines } = await openFirst(system, casesOf('log-why')[0]!)
    const answer = (await ask(session, { want: 'lines', first: 200, last: 204 })) ?? ''
    const shown = lines.flatMap((line, index) => (line.length > 20 && answer.includes(line) ? [index + 1] : []))
    expect(shown).toEqual([200, 201, 202, 203, 204])
  })

  test.each(casesOf('log-needle'))('finds the line of a word that occurs once: $id', async (question) => {
    const { session, lines } = await openFirst(system, question)
    if (question.asks.form !== 'word') throw new Error('The case asks for something else.')
    const { word } = question.asks
    const answer = (await ask(session, { want: 'grep', literals: [word], ignoreCase: false, context: 0 })) ?? ''
    expect(session.hits(answer)).toEqual([lines.findIndex((line) => line.includes(word)) + 1])
    expect(question.recall({ shown: answer, counts: [] })).toBe(1)
  })

  test.each(casesOf('log-count'))('counts the lines with a word: $id', async (question) => {
    const { session } = await openFirst(system, question)
    if (question.asks.form !== 'count') throw new Error('The case asks for something else.')
    const answer = (await ask(session, { want: 'count', literal: question.asks.literal })) ?? ''
    expect(session.counted(answer)).toBe(Number(question.answer))
  })

  test('gives the number of lines, in the preview or by a call', async () => {
    const { session, lines } = await openFirst(system, casesOf('log-why')[0]!)
    const total = session.totalLines(session.shown) ?? session.totalLines((await ask(session, { want: 'total' })) ?? '')
    // A driver may count the line end at the end of the file as an additional line.
    expect([lines.length, lines.length - 1]).toContain(total)
  })

  test('plans the same call and gives the same answer the second time', async () => {
    const intent: Intent = { want: 'lines', first: 10, last: 60 }
    const look = async () => {
      const { session } = await openFirst(system, casesOf('log-why')[0]!)
      const seen = [session.shown, session.plan(intent), await ask(session, intent)]
      open.pop()?.close()
      return seen
    }
    expect(await look()).toEqual(await look())
  })
})

test('the driver of Spillway counts lines, not the states of a progress line', async () => {
  const [question] = casesOf('log-count')
  const [result] = question!.results
  const progress = Array.from({ length: 500 }, (_, step) => `Receiving objects: ${step}`).join('\r')
  const text = `${progress}\nResolving\n${'Receiving objects: done\n'.repeat(400)}`
  const { session } = await openFirst(spillwaySystem('test'), { ...question!, results: [{ ...result!, text }] })
  const answer = (await ask(session, { want: 'count', literal: 'Receiving' })) ?? ''
  expect(session.counted(answer)).toBe(401)
})

test.each([...casesOf('table-cell'), ...casesOf('json-sibling')])(
  'an agent that stops by itself finds the value in the answer of Spillway: $id',
  async (question) => {
    const { session } = await openFirst(spillwaySystem('test'), question)
    const { asks } = question
    if (asks.form !== 'cell' && asks.form !== 'sibling') throw new Error('The case asks for something else.')
    const shown = await ask(session, asks.form === 'cell' ? { want: 'rows', ...asks } : { want: 'sibling', ...asks })
    expect(isRight(question, extractAnswer(asks, { shown: shown ?? '', counts: [] }) ?? '')).toBe(true)
  },
)

const STRUCTURED = SYSTEMS.filter(({ name }) => /^(?:Spillway|head|context-mode)/.test(name))

describe.each(STRUCTURED.map((system) => ({ name: system.name, system })))('the driver of $name', ({ system }) => {
  test.each(casesOf('table-cell'))('finds the row of a key: $id', async (question) => {
    const { session } = await openFirst(system, question)
    if (question.asks.form !== 'cell') throw new Error('The case asks for something else.')
    const answer = (await ask(session, { want: 'rows', ...question.asks })) ?? ''
    expect(question.recall({ shown: answer, counts: [] })).toBe(1)
  })

  test.each(casesOf('table-aggregate'))('counts the rows with a value: $id', async (question) => {
    const { session } = await openFirst(system, question)
    if (question.asks.form !== 'rows') throw new Error('The case asks for something else.')
    const answer = (await ask(session, { want: 'count-rows', ...question.asks })) ?? ''
    expect(session.counted(answer)).toBe(Number(question.answer))
  })
})
