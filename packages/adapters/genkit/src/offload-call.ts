import type { ContextOffloader } from '@spillway/core'
import { offloadThrown } from '@spillway/core/adapter'
import type { ToolRequestPart, ToolResponsePart } from 'genkit'
import { offloadResponse } from './offload-response.ts'

/** Offload what is over the limit of a tool call: its response, or what it throws. */
export async function offloadCall(
  offloader: ContextOffloader,
  { toolRequest: { name, ref = name, input } }: ToolRequestPart,
  signal: AbortSignal | undefined,
  called: Promise<ToolResponsePart | undefined>,
): Promise<ToolResponsePart | undefined> {
  let part: ToolResponsePart | undefined
  try {
    part = await called
  } catch (thrown) {
    if (isControlFlow(thrown, signal)) throw thrown
    const replaced = await offloadThrown(offloader, { toolName: name, toolCallId: ref, input, signal, thrown })
    // Errors of Genkit have their message a second time, without the status in front of it.
    if (replaced !== thrown && replaced instanceof Error && 'originalMessage' in replaced)
      replaced.originalMessage = replaced.message
    throw replaced
  }
  // Middleware may return what it wants, whatever the types say.
  return part?.toolResponse === undefined ? part : offloadResponse(offloader, part, { input, signal })
}

/** Whether nothing has failed: interrupts are thrown, and so is the end of a run. */
function isControlFlow(thrown: unknown, signal: AbortSignal | undefined): boolean {
  const { name } = Object(thrown) as { readonly name?: unknown }
  return name === 'ToolInterruptError' || name === 'AbortError' || signal?.aborted === true
}
