import { codePoint } from '@spillway-internal/test-run/code-point'
import fc from 'fast-check'

/** The result of a tool. */
export interface PlannedResult {
  readonly texts: readonly string[]
  readonly json: unknown
  readonly hasImage: boolean
  readonly isError: boolean
}

/** A tool call and its result. The call or the result may be missing. */
export interface PlannedCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly result: PlannedResult
  readonly isMissing: 'call' | 'result' | undefined
  /** Bits by which a format chooses one of its forms. */
  readonly form: number
}

/** One answer of a model, with text, thoughts and calls. */
export interface PlannedStep {
  readonly thought: string
  readonly text: string
  readonly calls: readonly PlannedCall[]
  readonly form: number
}

/** A user message, the steps of the model, and its final answer. */
export interface PlannedTurn {
  /** A system message before the user message, if the format supports system messages between others. */
  readonly instruction: string | undefined
  readonly texts: readonly string[]
  readonly hasImage: boolean
  readonly steps: readonly PlannedStep[]
  readonly answer: string
  readonly form: number
}

/** A conversation in no particular format. */
export interface Plan {
  readonly system: readonly string[]
  readonly turns: readonly PlannedTurn[]
}

export interface PlanOptions {
  /** Whether to leave out some calls, and some results. */
  readonly orphans?: boolean | undefined
  /** The length of some of the last results, in characters. Defaults to 50,000. */
  readonly hugeLength?: number | undefined
}

const text = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ' ', 'ok', 'one\ntwo\nthree\n', '…🙂 "quoted" \\ </tag>', '[Offloaded: no]'),
  },
  fc.string({ maxLength: 40 }),
  fc.string({ unit: codePoint, maxLength: 20 }),
)
const json = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value))),
  fc.dictionary(fc.string({ maxLength: 6 }), fc.string(), { maxKeys: 3, noNullPrototype: true }),
)
const args = fc
  .dictionary(fc.constantFrom('path', 'pattern', 'content', 'constructor'), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  // JSON has no negative zero.
  .map((value) => JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>)
const form = fc.nat({ max: 4_095 })

/** Choose a value by some bits of a form. Choices with different shifts are independent. */
export function choose<Value>(bits: number, shift: number, ...values: readonly [Value, ...Value[]]): Value {
  return values[(bits >> shift) % values.length] ?? values[0]
}

/** Write the system message before a turn. Most formats write this message in the same way. */
export const instructionOf = ({ instruction }: PlannedTurn): readonly object[] =>
  instruction === undefined ? [] : [{ role: 'system', content: instruction }]

/** Generate plans of conversations: parallel calls, turns of many steps, empty texts, and results of every kind. */
export function plans({ orphans = false, hugeLength = 50_000 }: PlanOptions = {}): fc.Arbitrary<Plan> {
  const result = fc.record({
    texts: fc.array(text, { maxLength: 3 }),
    json: fc.option(json, { nil: undefined, freq: 3 }),
    hasImage: fc.boolean(),
    isError: fc.boolean(),
  })
  const missing = fc.option(fc.constantFrom('call', 'result'), { nil: undefined, freq: 4 })
  const call = fc.record({
    name: fc.constantFrom('read', 'grep', 'run-tests'),
    args,
    result,
    isMissing: orphans ? missing : fc.constant(undefined),
    form,
  })
  const step = fc.record({ thought: text, text, calls: fc.array(call, { maxLength: 3 }), form })
  const steps = fc.array(step, { maxLength: 3 })
  const turn = fc.record({
    instruction: fc.option(text, { nil: undefined, freq: 3 }),
    texts: fc.array(text, { minLength: 1, maxLength: 2 }),
    hasImage: fc.boolean(),
    steps,
    answer: text,
    form,
  })
  return fc
    .record({
      system: fc.array(text, { maxLength: 2 }),
      turns: fc.array(turn, { maxLength: 4 }),
      isReusing: fc.boolean(),
      isHuge: fc.boolean(),
    })
    .map(({ system, turns, isReusing, isHuge }) => {
      let number = 0
      const numbered = turns.map((one) => ({
        ...one,
        steps: one.steps.map((part, at) => ({
          ...part,
          // Ids may repeat in another step, as the ids of some servers do.
          calls: part.calls.map((made, index) => ({
            ...made,
            id: isReusing ? `call_${index}` : `call_${(number += 1)}_${at}`,
          })),
        })),
      }))
      const plan: Plan = { system, turns: numbered }
      return isHuge ? withHugeResult(plan, hugeLength) : plan
    })
}

function withHugeResult(plan: Plan, length: number): Plan {
  const calls = plan.turns.flatMap(({ steps }) => steps).flatMap((step) => step.calls)
  const last = calls.at(-1)
  if (last === undefined) return plan
  const line = 'a line of a log that is long enough to matter\n'
  const huge = line.repeat(Math.ceil(length / line.length))
  const grow = (made: PlannedCall): PlannedCall =>
    made === last ? { ...made, result: { ...made.result, json: undefined, texts: [huge, ...made.result.texts] } } : made
  const turns = plan.turns.map((turn) => ({
    ...turn,
    steps: turn.steps.map((step) => ({ ...step, calls: step.calls.map(grow) })),
  }))
  return { ...plan, turns }
}
