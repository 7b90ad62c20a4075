import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >
}

/** Checks answers of a service against its OpenAPI document. */
export class AnswerValidator {
  readonly #document: OpenApi
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: unknown) {
    this.#document = document as OpenApi
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'document', components: this.#document.components })
  }

  /** Throw if the document has no such answer for the endpoint and the status. */
  check(method: string, path: string, status: number, json: unknown): void {
    const known = this.#findPath(path.replace(/\?.*/, ''))
    if (known === undefined) return
    const operation = this.#document.paths[known]?.[method.toLowerCase()]
    if (operation === undefined) return
    const key = `${method} ${known} ${status}`
    const response = operation.responses[`${status}`]
    if (response === undefined) throw new Error(`The document has no ${key}.`)
    const schema = response.content?.['application/json']?.schema
    if (schema === undefined) return
    const validate = this.#validators.get(key) ?? this.#ajv.compile(this.#absolute(schema))
    this.#validators.set(key, validate)
    if (validate(json)) return
    throw new Error(`${key}: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(json).slice(0, 500)}`)
  }

  #findPath(path: string): string | undefined {
    return Object.keys(this.#document.paths).find((known) =>
      new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
  }

  #absolute(schema: object): object {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object
  }
}
