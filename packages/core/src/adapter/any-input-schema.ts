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
