import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'

/** What the model sees of a tool result: `text`, `json`, `error-text` or `content`, as it stands in a prompt. */
export type ModelOutput = { readonly type: string; readonly value?: unknown }

type Metadata = NonNullable<MastraToolInvocationPart['providerMetadata']>

/** Return what the model sees of a tool call that a message holds; `undefined` where it has no result. */
export function outputOfPart({ toolInvocation, providerMetadata }: MastraToolInvocationPart): ModelOutput | undefined {
  const { state, result, errorText } = toolInvocation
  if (state === 'output-error') return errorText === undefined ? undefined : { type: 'error-text', value: errorText }
  if (state !== 'result') return undefined
  const mapped = mappedOutput(providerMetadata)
  return mapped ?? { type: typeof result === 'string' ? 'text' : 'json', value: result }
}

/**
 * Put what the model is shown in the place of a result, so that later prompts and what memory keeps have it too.
 *
 * A result that the tool's `toModelOutput` maps stays beside what it was mapped to, unless it is the longer of the two.
 */
export function withShownOutput(part: MastraToolInvocationPart, shown: ModelOutput): MastraToolInvocationPart {
  const { toolInvocation, providerMetadata } = part
  const text = textOf(shown)
  if (toolInvocation.state === 'output-error')
    return { ...part, toolInvocation: { ...toolInvocation, errorText: text } }
  const isMapped = mappedOutput(providerMetadata) !== undefined
  const result = isMapped && isAtMost(toolInvocation.result, text.length) ? toolInvocation.result : text
  const replaced = { ...part, toolInvocation: { ...toolInvocation, result } }
  if (!isMapped && shown.type === 'text') return replaced
  // Where Mastra keeps what `toModelOutput` returned, and takes it from for prompts.
  const mastra = { ...providerMetadata?.['mastra'], modelOutput: shown } as Metadata[string]
  return { ...replaced, providerMetadata: { ...providerMetadata, mastra } }
}

function mappedOutput(providerMetadata: MastraToolInvocationPart['providerMetadata']): ModelOutput | undefined {
  const { modelOutput } = Object(providerMetadata?.['mastra']) as { readonly modelOutput?: unknown }
  return typeof modelOutput === 'object' && modelOutput !== null && 'type' in modelOutput
    ? (modelOutput as ModelOutput)
    : undefined
}

/** The replacement is the whole value of an output, or the first of its parts. */
function textOf({ value }: ModelOutput): string {
  const [first] = Array.isArray(value) ? (value as readonly { readonly text?: unknown }[]) : []
  return String(first === undefined ? value : first.text)
}

function isAtMost(result: unknown, characters: number): boolean {
  return (JSON.stringify(result) ?? '').length <= characters
}
