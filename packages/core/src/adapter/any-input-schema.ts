import { emitEvent, retrievalToolNameOf, type ContextOffloader } from '../offload/context-offloader.ts'

/** A schema as the Standard JSON Schema specification has it, as far as frameworks read it. */
export interface AnyInputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>
  }
}

/**
 * Write a JSON Schema, such as that of the retrieval tool, as a Standard Schema that tells models what it says and takes
 * every input: the advice of the tool is better than that of a validator.
 *
 * Each reader gets a copy of its own, as frameworks write into what they are given.
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
 * Tell by the event `retrieval-tool-hidden` that a model is not offered the retrieval tool, although results were
 * offloaded and their previews name it.
 *
 * For adapters that see which tools a call of the model offers. An event comes once for an offloader, and none where it
 * has no retrieval tool.
 *
 * @param offered - The names of the tools that the model is offered.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { tellHiddenTool } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const types: string[] = []
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage(), onEvent: ({ type }) => types.push(type) })
 * await offloader.offload({ toolName: 'a', toolCallId: '1', content: [{ type: 'text', text: 'a line\n'.repeat(5_000) }] })
 * tellHiddenTool(offloader, ['read_log'])
 * console.assert(types.join() === 'offload,retrieval-tool-hidden')
 * ```
 */
export function tellHiddenTool(offloader: ContextOffloader, offered: readonly unknown[]): void {
  const toolName = retrievalToolNameOf(offloader)
  const { includeRetrievalTool } = offloader.options
  if (!includeRetrievalTool || offered.includes(toolName) || told.has(offloader)) return
  if (offloader.meter().offloaded === 0) return
  told.add(offloader)
  emitEvent(offloader.options, { type: 'retrieval-tool-hidden', toolName })
}
