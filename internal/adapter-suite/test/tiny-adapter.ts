import { type ContentBlock, type ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import type { HistoryCompactor } from '@spillway/history'
import {
  callResolved,
  encodeBase64,
  mediaFromData,
  mediaFromUrl,
  offloadParts,
  takesReferences,
} from '@spillway/core/adapter'
import {
  findMistake,
  type TinyAgent,
  type TinyOutput,
  type TinyPart,
  type TinyPrompt,
  TinyResult,
  type TinyResultContext,
  type TinyTool,
} from './tiny-framework.ts'

/** The tools and hooks that the adapter gives an agent. */
export type TinyAdapter = Required<Pick<TinyAgent, 'tools' | 'beforeModel' | 'afterTool'>> &
  Pick<TinyAgent, 'rewrite' | 'compact'>

/**
 * Create the tools and hooks for the offloader of a session. The compactor is absent if histories are not compacted.
 */
export function tinyAdapter(
  offloader: ContextOffloader,
  tools: readonly TinyTool[],
  compactor?: HistoryCompactor<TinyPrompt>,
): TinyAdapter {
  return {
    ...(compactor !== undefined && {
      compact: async (prompt, signal) => (await compactor.compact(prompt, { signal })).messages,
    }),
    tools: [
      ...tools.map((tool) => withContent(tool, offloader)),
      ...(offloader.options.includeRetrievalTool ? [retrievalTool(offloader)] : []),
    ],
    beforeModel: async () => void (await offloader.endTurn()),
    afterTool: async (output, context) => offloadOutput(offloader, output, context),
  }
}

/** Give a tool the content of references in its arguments. Arguments are validated here, after resolving references. */
export function withContent(tool: TinyTool, offloader: ContextOffloader): TinyTool {
  if (!takesReferences(offloader, tool.name)) return tool
  return {
    ...tool,
    takesAnything: true,
    execute: (input, context) =>
      callResolved(offloader, { toolName: tool.name, input, ...context }, (resolved) => {
        const mistake = findMistake(tool.inputSchema, resolved)
        return mistake === undefined
          ? tool.execute(resolved, context)
          : new TinyResult({ type: 'error', value: mistake })
      }),
  }
}

/** Create the retrieval tool. It accepts any input, because its answers explain mistakes. */
export function retrievalTool({ retrievalTool: tool }: ContextOffloader): TinyTool {
  return {
    name: RETRIEVAL_TOOL_NAME,
    inputSchema: { ...tool.inputSchema },
    takesAnything: true,
    async execute(input, { signal }) {
      const { content, isError } = await tool.execute(input, { signal })
      const [block, second] = content
      if (isError) return new TinyResult({ type: 'error', value: block?.type === 'text' ? block.text : '' })
      if (block?.type === 'text' && second === undefined) return block.text
      return new TinyResult({ type: 'parts', value: content.map(toPart) })
    },
  }
}

/** Offload an output. An output that is not offloaded is returned as the same object. */
export async function offloadOutput(
  offloader: ContextOffloader,
  output: TinyOutput,
  { toolName, toolCallId, input, calls, signal }: TinyResultContext,
): Promise<TinyOutput> {
  // The framework keeps a result that arrives after an abort.
  const call = {
    toolName,
    toolCallId,
    input,
    callsInTurn: calls,
    signal: signal?.aborted === true ? undefined : signal,
  }
  if (output.type === 'parts') {
    const outcome = await offloadParts(offloader, { ...call, parts: output.value, toBlock, fromText })
    return outcome.status === 'inline' ? output : { type: 'parts', value: outcome.parts }
  }
  const block: ContentBlock =
    output.type === 'json' ? { type: 'json', value: output.value } : { type: 'text', text: output.value }
  const isError = output.type === 'error'
  const { status, content } = await offloader.offload({ ...call, isError, content: [block] })
  const [replacement] = content
  if (status === 'redacted' && replacement?.type === 'json') return { type: 'json', value: replacement.value }
  if (status === 'inline' || replacement?.type !== 'text') return output
  return { type: isError ? 'error' : 'text', value: replacement.text }
}

/** Convert a part to a block. */
export function toBlock(part: TinyPart): ContentBlock {
  if (part.type === 'text') return part
  const { mediaType } = part
  const block = part.type === 'media' ? mediaFromData(mediaType, part.base64) : mediaFromUrl(mediaType, part.url)
  return block ?? { type: 'unknown', value: part }
}

/** Convert a block to a part. */
export function toPart(block: ContentBlock): TinyPart {
  if (block.type === 'text') return block
  if (block.type === 'json') return { type: 'text', text: JSON.stringify(block.value) }
  if ('data' in block && block.data !== undefined)
    return { type: 'media', mediaType: block.mediaType, base64: encodeBase64(block.data) }
  if ('url' in block && block.url !== undefined)
    return { type: 'media-url', mediaType: block.mediaType ?? 'application/octet-stream', url: block.url }
  throw new TypeError(`There is no part for a block of type ${block.type}.`)
}

const fromText = (text: string): TinyPart => ({ type: 'text', text })
