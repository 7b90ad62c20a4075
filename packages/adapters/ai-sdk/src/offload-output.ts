import type { ContentBlock, ContextOffloader, OffloadRequest } from '@spillway/core'
import { offloadParts } from '@spillway/core/adapter'
import { partToBlock } from './part-to-block.ts'

/** The tool call that an output belongs to. */
export type OutputCall = Pick<OffloadRequest, 'toolName' | 'toolCallId' | 'input' | 'signal'>

interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly providerOptions?: Readonly<Record<string, object>> | undefined
}

/**
 * Offload the output of a tool as the SDK hands it to a model, and return what takes its place.
 *
 * An output that stays comes back as the very object, as do kinds that nothing is known of. JSON is replaced by text,
 * parts by one part of text that comes first.
 */
export async function offloadOutput<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: OutputCall,
  output: Output,
): Promise<Output> {
  // Tools return what they want, whatever the types say.
  const { type, value } = Object(output) as { readonly type?: unknown; readonly value?: unknown }
  switch (type) {
    case 'text':
    case 'error-text':
      if (typeof value !== 'string') return output
      return offloadValue(offloader, call, output, type, { type: 'text', text: value })
    case 'json':
      return offloadValue(offloader, call, output, 'text', { type: 'json', value })
    case 'error-json':
      return offloadValue(offloader, call, output, 'error-text', { type: 'json', value })
    case 'content':
      if (!Array.isArray(value)) return output
      return offloadContent(offloader, call, output, value)
    default:
      return output
  }
}

async function offloadValue<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: OutputCall,
  output: Output,
  type: 'text' | 'error-text',
  block: ContentBlock,
): Promise<Output> {
  const replaced = await offloadParts(offloader, {
    ...call,
    isError: type === 'error-text',
    parts: [output],
    toBlock: () => block,
    fromText: (text) => ({ ...output, type, value: text }),
  })
  return replaced?.[0] ?? output
}

async function offloadContent<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: OutputCall,
  output: Output,
  parts: readonly unknown[],
): Promise<Output> {
  const replaced = await offloadParts(offloader, {
    ...call,
    parts,
    toBlock: partToBlock,
    fromText: (text): unknown => ({ type: 'text', text }),
  })
  if (replaced === undefined) return output
  const [replacement, ...kept] = replaced
  const providerOptions = mergeOptions(parts.filter((part) => !kept.includes(part)))
  const first = providerOptions === undefined ? replacement : { ...Object(replacement), providerOptions }
  return { ...output, value: [first, ...kept] }
}

/** What providers were told of replaced text, such as where a cached prefix ends, holds for what stands in its place. */
function mergeOptions(replaced: readonly unknown[]): Readonly<Record<string, object>> | undefined {
  let merged: Readonly<Record<string, object>> | undefined
  for (const part of replaced) {
    const { type, providerOptions } = part as Partial<TextPart>
    if (type === 'text' && providerOptions != null) merged = { ...merged, ...providerOptions }
  }
  return merged
}
