import type { MessageList } from '@mastra/core/agent'
import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import { outputOfPart, withShownOutput } from './model-output.ts'
import type { OffloadRun } from './offload-run.ts'

/** Offload the results that a run has put into its messages. Those that it was given are not its own, and stay. */
export async function offloadStored(messageList: MessageList, run: OffloadRun): Promise<void> {
  const parts = messageList.get.response.db().flatMap(({ content }) => content.parts)
  const calls = parts.filter((part) => part.type === 'tool-invocation')
  // Mastra finds a part by the id of its call: of equal ones, the newest.
  const newest = new Map(calls.map((part) => [part.toolInvocation.toolCallId, part]))
  await Promise.all(Array.from(newest.values(), (part) => offloadPart(part, messageList, run)))
}

/** Offload the result of a tool call, and return whether another has taken its place in the messages. */
export async function offloadPart(
  part: MastraToolInvocationPart,
  messageList: MessageList,
  run: OffloadRun,
): Promise<boolean> {
  const output = outputOfPart(part)
  if (output === undefined || part.providerExecuted === true) return false
  const shown = await run.show(part.toolInvocation, part.toolInvocation.args, output)
  return shown !== output && messageList.updateToolInvocation(withShownOutput(part, shown))
}
