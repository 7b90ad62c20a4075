/** Writes the reference of the HTTP service, docs/http-api.md, from the OpenAPI document of the service. */

/** A JSON Schema, with the keywords that the document uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
  readonly description?: string
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

/** The OpenAPI document of the service. */
export interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Statuses that are documented once for all endpoints. */
const COMMON = new Set(['400', '401', '403', '408', '413', '415', '422', '429', '500', '503'])

/** Write the endpoints, tag by tag. */
export function renderHttpApi(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const sections = document.tags.flatMap(({ name, description }) => [
    `## ${name}`,
    description,
    ...operations
      .filter(({ operation }) => operation.tags[0] === name)
      .flatMap(({ path, method, operation }) => renderOperation(document, path, method, operation)),
  ])
  return [...sections, '## Types', ...namedTypes(document, sections.join(' '))].join('\n\n')
}

/** Describe the types that a text names, and the types that these types name. */
function namedTypes(document: OpenApi, text: string): string[] {
  const written: string[] = []
  const open = [...text.matchAll(/`([A-Z]\w+)`/g)].map(([, name = '']) => name)
  const seen = new Set<string>()
  for (let name = open.shift(); name !== undefined; name = open.shift()) {
    const schema = document.components.schemas[name]
    if (schema === undefined || seen.has(name)) continue
    seen.add(name)
    const rows = (schema.anyOf ?? schema.oneOf ?? [schema]).map((option) =>
      fieldsOf(document, option).map(
        ([field = '', type = '', required = '']) => `${field} ${type}${required === '' ? ', may be absent' : ''}`,
      ),
    )
    const body = rows.map((fields) => `- ${fields.join('; ')}`).join('\n')
    written.push(`### \`${name}\``, ...(schema.description === undefined ? [] : [schema.description]), body)
    open.push(...[...body.matchAll(/`([A-Z]\w+)`/g)].map(([, other = '']) => other))
  }
  return written
}

function renderOperation(document: OpenApi, path: string, method: string, operation: Operation): string[] {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const fields = [
    ...parameters.map(({ name, in: place, required, description: text, schema }) =>
      row(`\`${name}\``, `${typeOf(schema)}, in the ${place}`, required, text),
    ),
    ...bodyFields(document, requestBody),
  ]
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    `${summary}.${description === undefined ? '' : ` ${description}`}`,
    ...(fields.length === 0 ? [] : [table(['field', 'type', 'required', ''], fields)]),
    ...renderAnswers(document, responses),
  ]
}

function bodyFields(document: OpenApi, body: Content | undefined): string[][] {
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? []
  if (type === undefined) return []
  if (media?.schema === undefined) return [row('the body', 'bytes of any type', true, undefined)]
  return fieldsOf(document, media.schema)
}

function renderAnswers(document: OpenApi, responses: Operation['responses']): string[] {
  const own = Object.entries(responses).filter(([status, { content }]) => !COMMON.has(status) || content === undefined)
  const answers = own.map(([status, { description = '', content }]) => {
    const schema = Object.values(content ?? {})[0]?.schema
    const fields = Number(status) < 300 && schema !== undefined ? fieldsOf(document, schema) : []
    const named = fields.map(
      ([name = '', type = '', required = '']) => `${name} ${type}${required === '' ? ', may be absent' : ''}`,
    )
    return [status, `${description}${named.length === 0 ? '' : ` ${named.join('; ')}`}`]
  })
  return [table(['status', ''], answers)]
}

function fieldsOf(document: OpenApi, schema: Schema): string[][] {
  const { properties = {}, required = [] } = resolve(document, schema)
  return Object.entries(properties).map(([name, field]) =>
    row(`\`${name}\``, typeOf(field), required.includes(name), field.description),
  )
}

const row = (name: string, type: string, required: boolean, text = ''): string[] => [
  name,
  type,
  required ? 'yes' : '',
  text.replaceAll('|', String.raw`\|`),
]

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

function resolve(document: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : resolve(document, document.components.schemas[nameOf(schema.$ref)] ?? {})
}

/** Describe a type in words. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `\`${nameOf(schema.$ref)}\``
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ')
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return options.map(typeOf).join(' or ')
  if (schema.items !== undefined && schema.type === 'array') return `array of ${typeOf(schema.items)}`
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return typeof schema.type === 'string' ? schema.type : 'any'
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
