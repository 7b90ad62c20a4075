import type { AnswerCase, Evidence } from './answer-case.ts'
import { countTokens } from '../history/chat/count-tokens.ts'
import { canExtract, extractAnswer, isRight } from './extract-answer.ts'
import { ORACLE_WAYS, POLICIES, type Policy, type Steps } from './policies.ts'
import type { Session, System } from './systems/system.ts'

export const MAX_CALLS = 12
const RECALL_AT = [1_000, 2_000, 5_000, 10_000] as const

/** Cost of one policy for one question in one system. */
export interface Outcome {
  readonly case: string
  readonly question: string
  readonly kind: AnswerCase['kind']
  readonly group: string
  readonly origin: AnswerCase['origin']
  readonly system: string
  readonly policy: string
  /** Tokens of the whole results, which an agent pays if it gives up and reads them. */
  readonly full: number
  readonly inline: boolean
  readonly solved: boolean
  readonly calls: number
  /** Tokens of the replacement and all answers. */
  readonly tokens: number
  /** Tokens of arguments that the model wrote. */
  readonly argumentTokens: number
  /** Prompt tokens of this result over all calls. Each call sends all earlier text again. */
  readonly promptTokens: number
  /** Tokens of the tool definitions, which are in every prompt. */
  readonly definitionTokens: number
  /** The share of the answer in the context, by number of tokens. */
  readonly recallAt: Readonly<Record<string, number>>
  /** The answer of the policy if it stops by itself. Absent for kinds without an exact answer. */
  readonly self?: 'right' | 'wrong' | 'none'
  /** Number of tokens when the policy stopped by itself. */
  readonly selfTokens?: number
}

/**
 * Play a question with each policy. A judge that knows the answer stops the play when the answer is in the context. The
 * policy `oracle` knows the lines of the answer. Throws an `Error` for an unknown policy.
 */
export async function play(
  question: AnswerCase,
  system: System,
  names: readonly string[],
): Promise<readonly Outcome[]> {
  const sessions = await Promise.all(question.results.map((result) => system.open(result, question.question)))
  const outcomes: Outcome[] = []
  try {
    for (const name of names) outcomes.push(await playPolicy(question, sessions, system.name, name))
  } finally {
    for (const session of sessions) session.close()
  }
  return outcomes
}

async function playPolicy(
  question: AnswerCase,
  sessions: readonly Session[],
  system: string,
  name: string,
): Promise<Outcome> {
  const policy = POLICIES[name]
  if (policy !== undefined) return await playSessions(question, sessions, system, name, () => policy)
  if (name !== 'oracle') throw new Error(`There is no policy ${name}: ${Object.keys(POLICIES).join(', ')}, oracle.`)
  const outcomes: Outcome[] = []
  for (const way of ORACLE_WAYS)
    outcomes.push(await playSessions(question, sessions, system, name, (result) => way(question, result)))
  const [cheapest] = outcomes.toSorted((one, other) => costOf(one) - costOf(other))
  if (cheapest === undefined) throw new Error('The oracle has no way to the answer.')
  return cheapest
}

/** Tokens to the answer. An agent that does not find the answer finally reads the whole result. */
export const costOf = ({ tokens, solved, full }: Outcome): number => tokens + (solved ? 0 : full)

/** The context, and its cost. */
class Context {
  readonly counts: number[] = []
  readonly texts: string[][]
  readonly recallAt: Record<string, number> = {}
  tokens = 0
  calls = 0
  argumentTokens = 0
  promptTokens = 0
  recall = 0
  readonly #question: AnswerCase
  readonly #isInline: boolean

  constructor(question: AnswerCase, sessions: readonly Session[]) {
    this.#question = question
    this.#isInline = sessions.every(({ inline }) => inline)
    this.texts = sessions.map(({ shown }) => [shown])
    this.#add(sessions.map(({ shown }) => countTokens(shown)).reduce((sum, count) => sum + count, 0))
  }

  get evidence(): Evidence {
    return { shown: this.texts.flat().join('\n'), counts: this.counts }
  }

  addAnswer(result: number, call: string, answer: string, counted: number | undefined): void {
    this.calls += 1
    this.argumentTokens += countTokens(call)
    this.texts[result]?.push(answer)
    if (counted !== undefined) this.counts.push(counted)
    this.#add(countTokens(answer))
  }

  #add(shown: number): void {
    const before = this.tokens
    this.tokens += shown
    this.promptTokens += this.tokens + this.argumentTokens
    for (const limit of RECALL_AT) if (this.tokens > limit && before <= limit) this.recallAt[limit] = this.recall
    // If the whole result is in the context, the answer counts as found, although a model may overlook it.
    this.recall = this.#isInline ? 1 : this.#question.recall(this.evidence)
  }
}

async function playSessions(
  question: AnswerCase,
  sessions: readonly Session[],
  system: string,
  policyName: string,
  policyOf: (result: number) => Policy,
): Promise<Outcome> {
  const context = new Context(question, sessions)
  const self = new SelfStop(question)
  self.look(context)
  const plays = sessions.map((session, result): Play => ({
    result,
    session,
    steps: policyOf(result)({
      asks: question.asks,
      session,
      shown: () => context.texts[result]?.join('\n') ?? '',
    }),
    answers: new Map<string, string>(),
    lastAnswer: undefined,
  }))
  const inline = sessions.every((session) => session.inline)
  // An agent with two results works on them in turn.
  const open = plays.filter(({ session }) => session.tools.length > 0)
  while (open.length > 0 && context.calls < MAX_CALLS && context.recall < 1) {
    const one = open.shift()
    if (one !== undefined && (await makeCall(one, context))) open.push(one)
    self.look(context)
  }
  const kept = Object.fromEntries(RECALL_AT.map((limit) => [limit, context.recallAt[limit] ?? context.recall]))
  return {
    case: question.id,
    question: question.question,
    kind: question.kind,
    group: question.group,
    origin: question.origin,
    system,
    policy: policyName,
    full: question.results.reduce((sum, { text }) => sum + countTokens(text), 0),
    inline,
    solved: context.recall >= 1,
    calls: context.calls,
    tokens: context.tokens,
    argumentTokens: context.argumentTokens,
    promptTokens: context.promptTokens,
    definitionTokens: countTokens(JSON.stringify(sessions.find((session) => !session.inline)?.tools ?? [])),
    recallAt: kept,
    ...self.outcome(context.tokens),
  }
}

interface Play {
  readonly result: number
  readonly session: Session
  readonly steps: Steps
  /** Answers by call. A repeated call is not made again. */
  readonly answers: Map<string, string>
  lastAnswer: string | undefined
}

/** Continue a policy until its next new call. Returns `false` if the policy has ended. */
async function makeCall(play: Play, context: Context): Promise<boolean> {
  const { result, session, steps, answers } = play
  for (;;) {
    const step = steps.next(play.lastAnswer)
    if (step.done === true) return false
    const call = 'want' in step.value ? session.plan(step.value) : step.value
    const key = call === undefined ? '' : JSON.stringify(call)
    play.lastAnswer = answers.get(key)
    if (call === undefined || play.lastAnswer !== undefined) continue
    const answer = await session.run(call)
    answers.set(key, answer)
    play.lastAnswer = answer
    context.addAnswer(result, key, answer, session.counted(answer))
    return true
  }
}

/** An agent that does not know the answer: it stops at the first value that it takes for the answer, right or wrong. */
class SelfStop {
  readonly #question: AnswerCase
  #extracted: string | undefined
  #tokens: number | undefined
  #calls = -1

  constructor(question: AnswerCase) {
    this.#question = question
  }

  look({ evidence, tokens, calls }: Context): void {
    if (this.#tokens !== undefined || calls === this.#calls) return
    this.#calls = calls
    const extracted = extractAnswer(this.#question.asks, evidence)
    this.#extracted = extracted
    if (extracted !== undefined) this.#tokens = tokens
  }

  outcome(tokens: number): Pick<Outcome, 'self' | 'selfTokens'> {
    if (!canExtract(this.#question.asks)) return {}
    const extracted = this.#extracted
    const self = extracted === undefined ? 'none' : isRight(this.#question, extracted) ? 'right' : 'wrong'
    return { self, selfTokens: this.#tokens ?? tokens }
  }
}
