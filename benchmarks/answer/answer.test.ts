import { beforeAll, describe, expect, test } from 'vitest'
import { KINDS } from './answer-case.ts'
import { generatedCases } from './cases/generated-cases.ts'
import { play, type Outcome } from './play.ts'
import { shellSystems } from './systems/shell-system.ts'
import { spillwaySystem } from './systems/spillway-system.ts'

const PER_KIND = 10
/** Limit of the tokens of the retrieval tool's definition, which is in every prompt. */
const MAX_DEFINITION_TOKENS = 350

const cases = generatedCases(1, PER_KIND)
const ours = spillwaySystem('test')
const peer = shellSystems.find(({ name }) => name.startsWith('head'))!
let outcomes: readonly { kind: string; ours: Outcome; peer: Outcome; oracle: Outcome }[] = []

beforeAll(async () => {
  outcomes = await Promise.all(
    cases.map(async (question) => {
      const [reader, oracle] = await play(question, ours, ['reader', 'oracle'])
      const [other] = await play(question, peer, ['reader'])
      return { kind: question.kind, ours: reader!, peer: other!, oracle: oracle! }
    }),
  )
})

describe('answering questions about generated content', () => {
  test.each(KINDS.map((kind) => ({ kind })))('solves at least as many cases of $kind as head and tail', ({ kind }) => {
    const own = outcomes.filter((outcome) => outcome.kind === kind)
    expect(own.length).toBe(PER_KIND)
    const solved = own.filter((outcome) => outcome.ours.solved).length
    expect(solved).toBeGreaterThanOrEqual(own.filter((outcome) => outcome.peer.solved).length)
  })

  test('is always possible if the position of the answer is known', () => {
    expect(outcomes.filter(({ oracle }) => !oracle.solved).map(({ oracle }) => oracle.case)).toEqual([])
  })

  test('needs a definition of the retrieval tool with few tokens', () => {
    const sizes = outcomes.map((outcome) => outcome.ours.definitionTokens)
    expect(Math.max(...sizes)).toBeGreaterThan(100)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_DEFINITION_TOKENS)
  })
})
