import { emitEvent, retrievalToolNameOf, type ContextOffloader } from '../offload/context-offloader.ts'

/** The part of a Standard JSON Schema that frameworks read. */
export interface AnyInputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>
  }
}

/**
 * Make a Standard Schema that shows a JSON Schema to models and accepts every input, so that the retrieval tool can
 * give its advice.
 */
export function anyInputSchema(jsonSchema: object): AnyInputSchema {
  const read = (): Record<string, unknown> => structuredClone(jsonSchema) as Record<string, unknown>
  const validate = (value: unknown): { readonly value: unknown } => ({ value })
  return { '~standard': { version: 1, vendor: 'spillway', validate, jsonSchema: { input: read, output: read } } }
}

const told = new WeakSet<ContextOffloader>()

/**
 * Emit the event `retrieval-tool-hidden`, once, if results were offloaded and the model is not offered the retrieval
 * tool.
 *
 * @param offered - Names of the tools that the model is offered.
 */
export function tellHiddenTool(offloader: ContextOffloader, offered: readonly unknown[]): void {
  const toolName = retrievalToolNameOf(offloader)
  const { includeRetrievalTool } = offloader.options
  if (!includeRetrievalTool || offered.includes(toolName) || told.has(offloader)) return
  if (offloader.meter().offloaded === 0) return
  told.add(offloader)
  emitEvent(offloader.options, { type: 'retrieval-tool-hidden', toolName })
}
