import assert from 'node:assert/strict'

/** The provider whose rules the schemas of tools must follow; `any` if a framework passes them to all providers. */
export type Provider = 'openai' | 'gemini' | 'anthropic' | 'any'

interface Rules {
  /** URLs of the provider's documentation. */
  readonly sources: readonly string[]
  readonly types: readonly string[]
  /** Allowed keywords, in addition to `type`. */
  readonly keywords: readonly string[]
  /** Whether every object must be closed and require all its properties. A type may be combined with `null`. */
  readonly isStrict?: boolean
}

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object']
const COMMON = ['description', 'properties', 'required', 'items']

export const PROVIDER_RULES: Readonly<Record<Provider, Rules>> = {
  openai: {
    sources: [
      'https://developers.openai.com/api/docs/guides/function-calling#strict-mode',
      'https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas',
    ],
    types: [...TYPES, 'null'],
    // Limits of numbers are not allowed, because fine-tuned models and Azure refuse them.
    keywords: [...COMMON, 'additionalProperties', 'anyOf', 'enum'],
    isStrict: true,
  },
  gemini: {
    sources: [
      'https://ai.google.dev/api/caching#Schema',
      'https://googleapis.github.io/js-genai/release_docs/interfaces/types.Schema.html',
    ],
    types: TYPES.map((type) => type.toUpperCase()),
    keywords: [...COMMON, 'enum', 'format', 'minimum', 'maximum', 'minItems', 'maxItems', 'nullable', 'title'],
  },
  anthropic: {
    sources: [
      'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools',
      'https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations',
    ],
    types: TYPES,
    keywords: [...COMMON, 'additionalProperties', 'enum', 'format'],
  },
  any: {
    // Draft 4, which some providers use, also forbids an empty list of required properties.
    sources: ['the rules above', 'https://json-schema.org/draft-04/schema'],
    types: TYPES,
    // Frameworks close objects themselves, and open the objects again for Gemini.
    keywords: [...COMMON, 'additionalProperties'],
  },
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Check that a provider accepts a schema as the parameters of a function. */
export function assertTaken(schema: unknown, provider: Provider = 'any'): void {
  const root = Object(schema) as Schema
  assert.equal(String(root.type).toLowerCase(), 'object', `The parameters are no object for ${provider}`)
  assertPart(root, provider, 'parameters')
}

function assertPart({ type, ...schema }: Schema, provider: Provider, path: string): void {
  const { types, keywords, isStrict = false } = PROVIDER_RULES[provider]
  const unknown = Object.keys(schema).filter((keyword) => !keywords.includes(keyword))
  assert.deepEqual(unknown, [], `Keywords of ${path} that ${provider} does not take`)
  for (const [index, one] of (schema.anyOf ?? []).entries()) assertPart(one, provider, `${path}.anyOf[${index}]`)
  if (schema.anyOf !== undefined) return
  const own = [type].flat()
  const isTaken = own.every((one) => one !== undefined && types.includes(one)) && (isStrict || own.length === 1)
  assert.ok(isTaken, `${provider} does not take the type ${JSON.stringify(type)} of ${path}`)
  if (own.some((one) => one?.toLowerCase() === 'array')) assertPart(schema.items ?? {}, provider, `${path}.items`)
  if (own.some((one) => one?.toLowerCase() === 'object')) assertObject(schema, provider, path)
}

function assertObject(
  { properties = {}, required, additionalProperties }: Schema,
  provider: Provider,
  path: string,
): void {
  const names = Object.keys(properties)
  assert.ok(names.length > 0, `${path} has no properties for ${provider}`)
  if (PROVIDER_RULES[provider].isStrict === true) {
    assert.deepEqual(required, names, `${provider} requires all properties of ${path}`)
    assert.equal(additionalProperties, false, `${path} is not closed for ${provider}`)
  }
  assert.notDeepEqual(required, [], `${path} has an empty list of required properties for ${provider}`)
  assert.deepEqual(
    (required ?? []).filter((name) => !names.includes(name)),
    [],
    `${path} requires unknown properties for ${provider}`,
  )
  for (const [name, property] of Object.entries(properties)) assertPart(property, provider, `${path}.${name}`)
}
