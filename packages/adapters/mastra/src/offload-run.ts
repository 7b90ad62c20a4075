import type { ContextOffloader } from '@spillway/core'
import type { ModelOutputCall } from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'
import { offloadOutput } from './offload-output.ts'
import type { SmallTexts } from './small-texts.ts'

/** A tool call whose result is looked at. */
export type RunCall = Omit<ModelOutputCall, 'signal'>

interface Known {
  readonly toolName: string
  readonly of: ModelOutput
  readonly as: ModelOutput
  /** The number of prompts before it could not be stored; infinite where it could. */
  readonly failedAt: number
}

/**
 * One run of an agent: where its results go, and what the model is shown of each, which is found out once.
 *
 * Mastra makes most of a prompt anew for each model call. An output is known by the values that it is made of: they stay.
 */
export class OffloadRun {
  readonly offloader: ContextOffloader
  /** That of the hook which ran last. */
  signal: AbortSignal | undefined
  /** The tools of the step that is under way. */
  tools: Readonly<Record<string, unknown>> = {}
  readonly #except: ReadonlySet<string>
  readonly #small: SmallTexts
  /** Providers count calls anew in each run, so an id may stand for several. */
  readonly #byCallId = new Map<string, Known[]>()
  #prompts = 0
  #promptsBeforeStep = 0

  constructor(offloader: ContextOffloader, except: ReadonlySet<string>, small: SmallTexts) {
    this.offloader = offloader
    this.#except = except
    this.#small = small
  }

  /** Return what is shown of an output, the output itself where it stays, or `undefined` where it is new. */
  find({ toolCallId, toolName }: RunCall, output: ModelOutput): ModelOutput | undefined {
    if (this.#except.has(toolName)) return output
    for (const known of this.#byCallId.get(toolCallId) ?? []) {
      if (known.toolName !== toolName || known.failedAt < this.#promptsBeforeStep || !isSame(known.of, output)) continue
      return known.as === known.of ? output : known.as
    }
    return undefined
  }

  /** Whether an output is known to stay, be it from this run or from an earlier one. */
  isSettled(call: RunCall, output: ModelOutput): boolean {
    return this.find(call, output) === output || this.#small.has(output.value)
  }

  /** Return what is shown of an output, and offload it first where it is new. */
  async show(call: RunCall, output: ModelOutput): Promise<ModelOutput> {
    const known = this.find(call, output)
    if (known !== undefined) return known
    const { output: shown, reason } = await offloadOutput(this.offloader, { ...call, signal: this.signal }, output)
    this.#remember(call, output, shown, reason === 'failed' ? this.#prompts : Infinity)
    if (shown !== output) this.#remember(call, shown, shown)
    if (reason === 'within-limit') this.#small.add(output.value)
    return shown
  }

  /** Begin a step. What a prompt has shown as it was, since it could not be stored, is tried again. */
  beginStep(): void {
    this.#promptsBeforeStep = this.#prompts
  }

  /** End the prompt of a step. */
  endPrompt(): void {
    this.#prompts += 1
  }

  #remember({ toolCallId, toolName }: RunCall, of: ModelOutput, as: ModelOutput, failedAt: number = Infinity): void {
    const known = this.#byCallId.get(toolCallId) ?? []
    this.#byCallId.set(toolCallId, known)
    known.push({ toolName, of, as, failedAt })
  }
}

function isSame(a: ModelOutput, b: ModelOutput): boolean {
  if (a === b) return true
  return a.type === b.type && (a.type === 'content' ? isSamePart(a.value, b.value) : Object.is(a.value, b.value))
}

function isSamePart(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b)) return false
  const entries = Object.entries(a)
  return entries.length === Object.keys(b).length && entries.every(([name, value]) => isSamePart(value, b[name]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
