import Anthropic from '@anthropic-ai/sdk'
import type { ContextOffloader } from '@spillway/core'
import { offloadThrown } from '@spillway/core/adapter'
import { offloadContent } from './offload-content.ts'
import type { ResultPart } from './part-to-block.ts'

type ToolError = InstanceType<typeof Anthropic.Beta.Messages.ToolError>

/** A tool call as the model made it: what the types of all versions have in common. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly caller?: { readonly type: string }
  readonly toolset_name?: string | null
}

/**
 * Run a tool call, and offload what is over the limit: its content, or what it throws.
 *
 * What answers code in the provider's sandbox stays, as it goes to that code and not into the context.
 */
export async function offloadCall<Content>(
  offloader: ContextOffloader,
  { id, name, input, caller, toolset_name: toolset }: ToolUse,
  signal: AbortSignal | null | undefined,
  run: () => Content | Promise<Content>,
  purpose?: string,
): Promise<Content | string | ResultPart[]> {
  if (caller !== undefined && caller.type !== 'direct') return run()
  const call = { toolName: name, toolCallId: id, input, purpose, signal: signal ?? undefined }
  const isOfToolset = toolset != null
  let content: Content
  try {
    content = await run()
  } catch (error) {
    if (!isToolError(error)) throw await offloadThrown(offloader, { ...call, thrown: error })
    const shown = await offloadContent(offloader, { ...call, isError: true, isOfToolset }, error.content)
    if (shown === error.content) throw error
    throw Object.assign(new Anthropic.Beta.Messages.ToolError(shown), { cause: error })
  }
  return offloadContent(offloader, { ...call, isOfToolset }, content)
}

/** Return what the model sees of what a tool has thrown, as a tool runner writes it. */
export function contentOfThrown(thrown: unknown): ToolError['content'] {
  if (isToolError(thrown)) return thrown.content
  return `Error: ${thrown instanceof Error ? thrown.message : String(thrown)}`
}

/** A program that loads the SDK as CommonJS has a copy of the class that this module does not know. */
function isToolError(thrown: unknown): thrown is ToolError {
  const { name, content } = Object(thrown) as Partial<ToolError>
  const isLikeOne = name === 'ToolError' && (typeof content === 'string' || Array.isArray(content))
  return isLikeOne || thrown instanceof Anthropic.Beta.Messages.ToolError
}
