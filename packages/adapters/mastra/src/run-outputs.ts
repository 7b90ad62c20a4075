import type { ContextOffloader } from '@spillway/core'
import type { ModelOutputCall } from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'
import { offloadOutput } from './offload-output.ts'

interface Known {
  readonly toolName: string
  readonly of: ModelOutput
  readonly as: ModelOutput
}

/**
 * What the model is shown of the tool results of one run: each is worked through once, however often it is sent.
 *
 * Mastra makes most of a prompt anew for each model call. An output is known by the values that it is made of, as these
 * stay.
 */
export class RunOutputs {
  readonly #except: ReadonlySet<string>
  /** Providers count calls anew in each run, so an id may stand for several. */
  readonly #byCallId = new Map<string, Known[]>()
  #failed: ModelOutput[] = []

  constructor(except: ReadonlySet<string>) {
    this.#except = except
  }

  /** Return what is shown of an output, the output itself where it stays, or `undefined` where it is new. */
  find({ toolCallId, toolName }: ModelOutputCall, output: ModelOutput): ModelOutput | undefined {
    if (this.#except.has(toolName)) return output
    const known = this.#byCallId.get(toolCallId)?.find((one) => one.toolName === toolName && isSame(one.of, output))
    return known === undefined || known.as === known.of ? known && output : known.as
  }

  /** Return what is shown of an output, and offload it first where it is new. Rejects once the signal has fired. */
  async show(offloader: ContextOffloader, call: ModelOutputCall, output: ModelOutput): Promise<ModelOutput> {
    const known = this.find(call, output)
    if (known !== undefined) return known
    const { output: shown, reason } = await offloadOutput(offloader, call, output)
    this.#remember(call, output, shown)
    if (shown !== output) this.#remember(call, shown, shown)
    if (reason === 'failed') this.#failed.push(output)
    return shown
  }

  /** Forget what could not be stored. It is tried again for the next model call, and not more than once for each. */
  forgetFailed(): void {
    const failed = new Set(this.#failed)
    this.#failed = []
    if (failed.size === 0) return
    for (const [id, known] of this.#byCallId)
      this.#byCallId.set(
        id,
        known.filter(({ of }) => !failed.has(of)),
      )
  }

  #remember({ toolCallId, toolName }: ModelOutputCall, of: ModelOutput, as: ModelOutput): void {
    const known = this.#byCallId.get(toolCallId)
    if (known === undefined) this.#byCallId.set(toolCallId, [{ toolName, of, as }])
    else known.push({ toolName, of, as })
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
