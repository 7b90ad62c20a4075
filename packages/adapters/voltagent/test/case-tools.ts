import { Buffer } from 'node:buffer'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { createTool, type Tool, type ToolExecuteOptions } from '@voltagent/core'
import { z } from 'zod'

/** Marks an output for `toModelOutput`. The AI SDK's default maps outputs without the mark. */
const MARK = 'mappedByToModelOutput'

/** Make the tools of a case. With `canYield`, they are generators, whose preliminary results a stream shows. */
export function toolsOf(tools: readonly CaseTool[], { canYield }: { readonly canYield: boolean }): Tool[] {
  // Tools that the provider defines are not instances of VoltAgent's class.
  return tools.map((tool) => (tool.providerExecuted === true ? providerTool(tool) : ownTool(tool, canYield)) as Tool)
}

function providerTool({ name }: CaseTool): object {
  return { type: 'provider', id: `fake.${name}`, name, args: {}, inputSchema: z.looseObject({}) }
}

function ownTool({ name, inputSchema, needsApproval, call }: CaseTool, canYield: boolean): object {
  const behave = async (input: unknown, operation?: ToolExecuteOptions): Promise<ToolBehaviour> => {
    const { callId = '', abortSignal } = operation?.toolContext ?? {}
    return await call(input, { toolCallId: callId, signal: abortSignal })
  }
  return createTool({
    name,
    description: `The tool ${name}.`,
    parameters: z.fromJSONSchema(inputSchema ?? { type: 'object' }),
    ...(needsApproval === true && { needsApproval }),
    execute: canYield
      ? async function* (input: unknown, operation?: ToolExecuteOptions) {
          const behaviour = await behave(input, operation)
          yield* behaviour.type === 'yields' ? behaviour.texts : [settled(behaviour)]
        }
      : async (input: unknown, operation?: ToolExecuteOptions) => {
          const behaviour = await behave(input, operation)
          return behaviour.type === 'yields' ? yielding(behaviour.texts) : settled(behaviour)
        },
    // VoltAgent's type has fewer parts than the AI SDK accepts.
    toModelOutput: ({ output }) => mapped(output) as { type: 'text'; value: string },
  })
}

function settled(behaviour: Exclude<ToolBehaviour, { readonly type: 'yields' }>): unknown {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'returns-error':
      return { error: true, message: behaviour.text }
    case 'returns': {
      const [block, ...rest] = behaviour.content
      if (block === undefined) return undefined
      if (rest.length === 0 && behaviour.asParts !== true) {
        if (block.type === 'text') return block.text
        if (block.type === 'json') return block.value
      }
      return { [MARK]: { type: 'content', value: behaviour.content.map(toPart) } }
    }
  }
}

async function* yielding(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) {
    await Promise.resolve()
    yield text
  }
}

function mapped(output: unknown): object {
  if (typeof output === 'object' && output !== null && MARK in output) return output[MARK] as object
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: output === undefined ? null : output }
}

/** Write a block in the form that version 6 of the AI SDK requires. */
function toPart(block: ContentBlock): object {
  if (block.type === 'text') {
    const { text, name: filename, mediaType } = block
    if (filename === undefined) return { type: 'text', text }
    return { type: 'file-data', mediaType, data: Buffer.from(text).toString('base64'), filename }
  }
  if (block.type === 'json') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'unknown') return { type: 'custom', providerOptions: { fake: { value: block.value } } }
  if (block.type === 'link') return { type: 'text', text: block.url }
  const { type, mediaType, name: filename, data, url } = block
  const named = filename === undefined ? {} : { filename }
  if (data === undefined) return { type: type === 'image' ? 'image-url' : 'file-url', url }
  const base64 = Buffer.from(data).toString('base64')
  return { type: type === 'image' ? 'image-data' : 'file-data', mediaType, data: base64, ...named }
}
