import { Buffer } from 'node:buffer'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { z } from 'zod'
import type { ResultPart } from '../src/index.ts'

/** A tool for the tool runner, or for a loop by hand. */
export type RunnerTool = Anthropic.Beta.Messages.BetaToolRunnerParams['tools'][number]

/** A tool that can be run here. */
export type RunnableTool = ReturnType<typeof betaTool<{ type: 'object' }>>

interface RunContext {
  readonly toolUse?: { readonly id: string }
  readonly toolUseBlock?: { readonly id: string }
  readonly signal?: AbortSignal | null | undefined
}

const { ToolError } = Anthropic.Beta.Messages

/**
 * Make the tools of a case. `approve` returns whether a tool may run that needs approval, which the SDK leaves to the
 * tool.
 */
export function toolsOf(tools: readonly CaseTool[], approve: (toolName: string) => boolean): RunnerTool[] {
  return tools.map((tool) =>
    tool.providerExecuted === true ? serverToolOf(tool) : (runnableToolOf(tool, approve) as RunnerTool),
  )
}

/** Omit tools that the provider runs. */
export function runnableIn(tools: readonly RunnerTool[]): readonly RunnableTool[] {
  // All tools of a case that can be run come from betaTool.
  return tools.filter((tool) => 'run' in tool) as readonly RunnableTool[]
}

function serverToolOf({ name }: CaseTool): RunnerTool {
  // The provider's own tools have names that the SDK knows.
  return { type: `${name}_20250305`, name } as RunnerTool
}

function runnableToolOf(
  { name, inputSchema = { type: 'object' }, needsApproval, call }: CaseTool,
  approve: (toolName: string) => boolean,
): RunnableTool {
  const run = async (
    input: unknown,
    { toolUse, toolUseBlock, signal }: RunContext = {},
  ): Promise<string | ResultPart[]> => {
    if (needsApproval === true && !approve(name)) throw new ToolError('The user has denied it.')
    const toolCallId = (toolUse ?? toolUseBlock)?.id ?? ''
    return contentOf(await call(input, { toolCallId, signal: signal ?? undefined }))
  }
  const validator = z.fromJSONSchema(inputSchema)
  const tool = betaTool({ name, description: `The tool ${name}.`, inputSchema: inputSchema as { type: 'object' }, run })
  return { ...tool, parse: (input) => validator.parse(input) as Record<string, unknown> }
}

/** Return text or parts, or nothing for a missing value. A value becomes JSON text. */
function contentOf(behaviour: ToolBehaviour): string | ResultPart[] {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') throw new ToolError(behaviour.text)
  if (behaviour.type === 'yields') return behaviour.texts.at(-1) ?? ''
  const { content, asParts = false } = behaviour
  const [first] = content
  if (first === undefined) return undefined as unknown as string
  if (content.length === 1 && !asParts && first.type === 'text') return first.text
  if (content.length === 1 && !asParts && first.type === 'json') return JSON.stringify(first.value)
  return content.map(partOf)
}

function partOf(block: ContentBlock): ResultPart {
  switch (block.type) {
    case 'text': {
      const { text, name: title } = block
      if (title === undefined) return { type: 'text', text }
      return { type: 'document', title, source: { type: 'text', media_type: 'text/plain', data: text } }
    }
    case 'image':
    case 'document': {
      const { type, mediaType, data, url } = block
      const source =
        data === undefined
          ? { type: 'url', url }
          : { type: 'base64', media_type: mediaType, data: Buffer.from(data).toString('base64') }
      return { type, source } as ResultPart
    }
    case 'unknown':
      return block.value as ResultPart
    default:
      throw new Error(`A tool result of the Messages API has no part for ${block.type}.`)
  }
}
