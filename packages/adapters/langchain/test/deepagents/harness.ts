/** Runs the cases of the suite through the loop of deepagents, with its file system over the same storage. */
import type { AdapterHarness, Conversation } from '@spillway-internal/adapter-suite'
import { isFull } from '@spillway-internal/test-run'
import { createDeepAgent, createFilesystemMiddleware, StateBackend } from 'deepagents'
import type { AgentMiddleware } from 'langchain'
import { deepAgentBackend, deepAgentMiddleware } from '../../src/deepagents/index.ts'
import { isServerTool, ownTools, serverToolOf } from '../case-tools.ts'
import type { FakeChatModel } from '../fake-chat-model.ts'
import { checkpointing, harness, historyOf, invoke, stream, type Graph } from '../harness.ts'
import { toolErrors } from '../tool-errors.ts'
import { EVICTION_GAPS, INVOKE_GAPS, STREAM_GAPS } from './gaps.ts'
import { isNewest } from './version.ts'

const NAME = 'deepAgentMiddleware and deepAgentBackend'

/** Ways to use the adapter, by name. A usual run varies the method and the eviction together. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness(`${NAME} with invoke`, invoke, deepAgentOf(true), { ...INVOKE_GAPS, ...EVICTION_GAPS }),
    ...(isNewest && isFull
      ? [harness(`${NAME} with invoke, eviction off`, invoke, deepAgentOf(false), INVOKE_GAPS)]
      : []),
    isNewest
      ? harness(`${NAME} with stream, eviction off`, stream, deepAgentOf(false), STREAM_GAPS)
      : harness(`${NAME} with stream`, stream, deepAgentOf(true), { ...STREAM_GAPS, ...EVICTION_GAPS }),
  ].map((one) => [one.name, { ...one, moduleUrl: import.meta.url }]),
)

/** Make a deep agent. If `evicts` is set, deepagents still moves results over its own limit to files. */
function deepAgentOf(evicts: boolean): (conversation: Conversation, model: FakeChatModel) => Graph {
  return (conversation, model) => {
    const { offloader, tools, systemPrompt } = conversation
    const asking = tools.filter(({ needsApproval }) => needsApproval === true)
    const backend = offloader === undefined ? new StateBackend() : deepAgentBackend(offloader)
    // The comparison run without Spillway keeps all results, if the version supports that.
    const keepsAll = isNewest && (offloader === undefined || !evicts)
    const middleware: AgentMiddleware[] = [
      ...(keepsAll ? [createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict: null })] : []),
      ...(offloader === undefined ? [] : [deepAgentMiddleware(offloader)]),
      toolErrors(),
      ...historyOf(conversation),
    ]
    return createDeepAgent({
      model,
      // Tools of the provider are passed on unchanged, although the type does not allow them.
      tools: [...tools.filter(isServerTool).map(serverToolOf), ...ownTools(tools)] as never,
      middleware,
      backend,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(asking.length === 0 ? {} : { interruptOn: Object.fromEntries(asking.map(({ name }) => [name, true])) }),
      ...checkpointing(conversation),
    })
  }
}
