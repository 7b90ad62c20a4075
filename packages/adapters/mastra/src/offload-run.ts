import type { ContextOffloader } from '@spillway/core'
import { KnownOutputs, type ModelOutputCall, type SmallTexts } from '@spillway/core/adapter'
import type { ModelOutput } from './model-output.ts'
import { offloadOutput } from './offload-output.ts'

/** The tool call of a result that is looked at. */
export type RunCall = Pick<ModelOutputCall, 'toolName' | 'toolCallId'>

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
  readonly #known = new KnownOutputs<ModelOutput>()
  /** What could not be stored since the last prompt, and what that prompt has shown for it. */
  #failed = new KnownOutputs<ModelOutput>()
  #shown = new KnownOutputs<ModelOutput>()

  constructor(offloader: ContextOffloader, except: ReadonlySet<string>, small: SmallTexts) {
    this.offloader = offloader
    this.#except = except
    this.#small = small
  }

  /** Return what is shown of an output, the very object where it stays; a promise where it is looked at first. */
  show(call: RunCall, input: unknown, output: ModelOutput): ModelOutput | Promise<ModelOutput> {
    if (this.#except.has(call.toolName)) return output
    const { toolCallId } = call
    const known =
      this.#known.find(toolCallId, output) ??
      this.#failed.find(toolCallId, output) ??
      this.#shown.find(toolCallId, output)
    return known === undefined ? this.#offload(call, input, output) : (known.shown ?? output)
  }

  /** Begin a step. What the prompt before has shown as it was, since it could not be stored, is tried again. */
  beginStep(): void {
    this.#shown = new KnownOutputs()
  }

  /** End the prompt of a step. */
  endPrompt(): void {
    this.#shown = this.#failed
    this.#failed = new KnownOutputs()
  }

  async #offload({ toolName, toolCallId }: RunCall, input: unknown, output: ModelOutput): Promise<ModelOutput> {
    const call = { toolName, toolCallId, input, signal: this.signal }
    const { output: shown, reason } = await offloadOutput(this.offloader, call, output)
    if (reason === 'within-limit') this.#small.add(output.value)
    if (shown === output) {
      const outputs = reason === 'failed' ? this.#failed : this.#known
      outputs.add(toolCallId, output)
    } else {
      this.#known.add(toolCallId, output, shown)
      // Later prompts come with what was shown.
      this.#known.add(toolCallId, shown)
    }
    return shown
  }
}
