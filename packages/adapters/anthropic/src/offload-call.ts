import Anthropic from '@anthropic-ai/sdk'
import type { ContextOffloader, OffloadRequest } from '@spillway/core'
import { offloadParts, offloadThrown } from '@spillway/core/adapter'
import { blockToPart, partToBlock, type ResultPart } from './result-part.ts'

type ToolError = InstanceType<typeof Anthropic.Beta.Messages.ToolError>

/** The fields that the types of all versions share. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly caller?: { readonly type: string }
  readonly toolset_name?: string | null
}

/** Run a tool call, and offload its large content or error, unless the provider's sandbox made the call. */
export async function offloadCall<Content>(
  offloader: Pick<ContextOffloader, 'offload'>,
  { id, name, input, caller, toolset_name: toolset }: ToolUse,
  signal: AbortSignal | null | undefined,
  run: () => Content | Promise<Content>,
  purpose?: string,
): Promise<Content | string | ResultPart[]> {
  if (caller !== undefined && caller.type !== 'direct') return run()
  const told = { toolName: name, toolCallId: id, input, purpose }
  const call = { ...told, isOfToolset: toolset != null }
  // The messages keep a result that arrives after an abort, and a program may continue with these messages.
  const signalNow = (): AbortSignal | undefined => (signal?.aborted === true ? undefined : (signal ?? undefined))
  let content: Content
  try {
    content = await run()
  } catch (error) {
    if (!isToolError(error)) throw await offloadThrown(offloader, { ...told, signal: signalNow(), thrown: error })
    const shown = await offloadContent(offloader, { ...call, signal: signalNow(), isError: true }, error.content)
    if (shown === error.content) throw error
    throw Object.assign(new Anthropic.Beta.Messages.ToolError(shown), { cause: error })
  }
  return offloadContent(offloader, { ...call, signal: signalNow() }, content)
}

/** The content that a tool runner writes for a thrown value. */
export function contentOfThrown(thrown: unknown): ToolError['content'] {
  if (isToolError(thrown)) return thrown.content
  return `Error: ${thrown instanceof Error ? thrown.message : String(thrown)}`
}

/** Checks the name: a program that loads the SDK as CommonJS has another copy of the class. */
function isToolError(thrown: unknown): thrown is ToolError {
  const { name, content } = Object(thrown) as Partial<ToolError>
  const isLikeOne = name === 'ToolError' && (typeof content === 'string' || Array.isArray(content))
  return isLikeOne || thrown instanceof Anthropic.Beta.Messages.ToolError
}

interface CallResult extends Omit<OffloadRequest, 'content'> {
  /** Whether the tool belongs to a toolset, such as a browser's. */
  readonly isOfToolset: boolean
}

export async function offloadContent<Content>(
  offloader: Pick<ContextOffloader, 'offload'>,
  { isOfToolset, ...result }: CallResult,
  content: Content,
): Promise<Content | string | ResultPart[]> {
  if (typeof content !== 'string' && !Array.isArray(content)) return content
  const parts: readonly (string | ResultPart)[] = typeof content === 'string' ? [content] : content
  const outcome = await offloadParts(offloader, {
    ...result,
    parts,
    toBlock: (part) => {
      const block = typeof part === 'string' ? ({ type: 'text', text: part } as const) : partToBlock(part)
      // A model needs other blocks, such as screenshots, to use a browser, so these blocks stay and are not counted.
      return isOfToolset && block.type !== 'text' ? { type: 'unknown', value: undefined } : block
    },
    fromText: (text): string | ResultPart => (typeof content === 'string' ? text : { type: 'text', text }),
    // The API accepts only text in an error result.
    fromBlock: result.isError === true ? undefined : blockToPart,
  })
  if (outcome.status === 'inline') return content
  const [replacement, ...kept] = outcome.parts
  if (typeof replacement === 'string') return replacement
  // The cache mark of the last replaced part moves to the replacement.
  const still = new Set<unknown>(kept)
  const marks = parts.map((part) => (still.has(part) ? undefined : (Object(part) as Partial<ResultPart>).cache_control))
  const cache_control = marks.findLast((mark) => mark != null)
  return [{ ...replacement, ...(cache_control && { cache_control }) }, ...kept] as ResultPart[]
}
