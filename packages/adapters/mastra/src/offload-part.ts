import type { MessageList } from '@mastra/core/agent'
import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import type { ContextOffloader } from '@spillway/core'
import type { RunOutputs } from './run-outputs.ts'
import { outputOfPart, withShownOutput } from './model-output.ts'

/** What a run's results are offloaded with. */
export interface PartRequest {
  readonly messageList: MessageList
  readonly outputs: RunOutputs
  readonly offloader: ContextOffloader
  readonly signal: AbortSignal | undefined
}

/** Offload the results that this run has put into its messages. What it was given is not its own, and stays. */
export async function offloadResponses(request: PartRequest): Promise<void> {
  const parts = request.messageList.get.response.db().flatMap(({ content }) => content.parts)
  const calls = parts.filter((part) => part.type === 'tool-invocation')
  // Mastra finds a part by the id of its call: of equal ones, the newest.
  const newest = new Map(calls.map((part) => [part.toolInvocation.toolCallId, part]))
  await Promise.all(Array.from(newest.values(), (part) => offloadPart(part, request)))
}

/** Offload the result of a tool call, and return whether another has taken its place in the messages. */
export async function offloadPart(
  part: MastraToolInvocationPart,
  { messageList, outputs, offloader, signal }: PartRequest,
): Promise<boolean> {
  const output = outputOfPart(part)
  if (output === undefined || part.providerExecuted === true) return false
  const { toolName, toolCallId, args: input } = part.toolInvocation
  const shown = await outputs.show(offloader, { toolName, toolCallId, input, signal }, output)
  return shown !== output && messageList.updateToolInvocation(withShownOutput(part, shown))
}
