/** The fields of a Standard JSON Schema that frameworks read. */
export interface AnyInputSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>
  }
}

/** Make a Standard Schema that shows a JSON Schema to models and accepts every input. */
export function anyInputSchema(jsonSchema: object): AnyInputSchema {
  const read = (): Record<string, unknown> => structuredClone(jsonSchema) as Record<string, unknown>
  const validate = (value: unknown): { readonly value: unknown } => ({ value })
  return { '~standard': { version: 1, vendor: 'spillway', validate, jsonSchema: { input: read, output: read } } }
}
