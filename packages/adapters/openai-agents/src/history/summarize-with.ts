import { Agent, OpenAIResponsesModel, Runner, type Model, type ModelSettings } from '@openai/agents'
import type { Summarize } from '@spillway/history'

/** Extra output tokens for reasoning, because reasoning tokens count as output. */
const ROOM_FOR_THOUGHTS = 8_000

type Client = ConstructorParameters<typeof OpenAIResponsesModel>[0]

/** Options of {@link summarizeWith}. */
export interface SummarizeWithOptions {
  /** Settings of the model. `maxTokens` defaults to the limit of a summary plus 8,000 tokens for reasoning. */
  readonly modelSettings?: ModelSettings | undefined
}

/**
 * Make a `summarize` that asks a model. Pass its name, a model of the SDK, or a client of OpenAI's API with a name.
 *
 * @throws TypeError for an invalid model.
 */
export function summarizeWith(model: string | Model, options?: SummarizeWithOptions): Summarize
export function summarizeWith(client: Client, options: SummarizeWithOptions & { readonly model: string }): Summarize
export function summarizeWith(
  given: string | Model | Client,
  { modelSettings, model: name }: SummarizeWithOptions & { readonly model?: string } = {},
): Summarize {
  const model = modelOf(given, name)
  return async ({ prompt, maxTokens, signal }) => {
    const settings: ModelSettings = { maxTokens: maxTokens + ROOM_FOR_THOUGHTS, ...modelSettings }
    const agent = new Agent({ name: 'Summary', model, modelSettings: settings })
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, prompt, { signal, maxTurns: 1 })
    return finalOutput ?? ''
  }
}

function modelOf(given: string | Model | Client, name: string | undefined): string | Model {
  if (typeof given === 'string' && given !== '') return given
  const { getResponse, responses } = Object(given) as { readonly getResponse?: unknown; readonly responses?: unknown }
  if (typeof getResponse === 'function') return given as Model
  if (typeof responses !== 'object' || responses === null)
    throw new TypeError(
      'model must be a model name or an SDK Model. With an OpenAI client: summarizeWith(client, { model }).',
    )
  if (typeof name !== 'string' || name === '')
    throw new TypeError("With a client, pass the name of a model: summarizeWith(client, { model: 'gpt-5-mini' }).")
  return new OpenAIResponsesModel(given as Client, name)
}
