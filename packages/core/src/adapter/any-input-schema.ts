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
 * Write a JSON Schema as a Standard Schema that shows it to models and accepts every input: the advice of the retrieval
 * tool is better than that of a validator. Each reader gets a copy, as frameworks write into it.
 *
 * @example
 * ```ts
 * import { anyInputSchema } from '@spillway/core/adapter'
 *
 * const { '~standard': schema } = anyInputSchema({ type: 'object', required: ['reference'] })
 * console.assert(schema.jsonSchema.input()['type'] === 'object')
 * console.assert(schema.validate('anything').value === 'anything')
 * ```
 */
export function anyInputSchema(jsonSchema: object): AnyInputSchema {
  const read = (): Record<string, unknown> => structuredClone(jsonSchema) as Record<string, unknown>
  const validate = (value: unknown): { readonly value: unknown } => ({ value })
  return { '~standard': { version: 1, vendor: 'spillway', validate, jsonSchema: { input: read, output: read } } }
}

const told = new WeakSet<ContextOffloader>()

/**
 * Emit the event `retrieval-tool-hidden` if results were offloaded, whose previews name the retrieval tool, and the model is
 * not offered that tool. An offloader emits it once.
 *
 * @param offered - The names of the tools that the model is offered.
 */
export function tellHiddenTool(offloader: ContextOffloader, offered: readonly unknown[]): void {
  const toolName = retrievalToolNameOf(offloader)
  const { includeRetrievalTool } = offloader.options
  if (!includeRetrievalTool || offered.includes(toolName) || told.has(offloader)) return
  if (offloader.meter().offloaded === 0) return
  told.add(offloader)
  emitEvent(offloader.options, { type: 'retrieval-tool-hidden', toolName })
}
