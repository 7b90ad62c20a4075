import { Buffer } from 'node:buffer'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { jsonSchema, type ToolSet } from 'ai'
import { z } from 'zod'
import { isVersion7 } from './version.ts'

/** Marks an output for `toModelOutput`. The SDK's default maps outputs without the mark. */
const MARK = 'mappedByToModelOutput'

type Output = { readonly type: string; readonly value: unknown }

interface CallOptions {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal
}

/** Make the tools of a case. `history` has the messages from which the run continues. */
export function toolSetOf(tools: readonly CaseTool[], history: unknown): ToolSet {
  // Cases have no types of inputs and outputs, so the SDK reads the tools only at run time.
  return Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool, history)])) as unknown as ToolSet
}

function toolOf(tool: CaseTool, history: unknown): object {
  const { name, inputSchema, needsApproval, providerExecuted, call } = tool
  const schema = { inputSchema: schemaOf(inputSchema ?? { type: 'object' }) }
  if (providerExecuted === true) {
    return {
      ...schema,
      type: 'provider',
      id: `fake.${name}`,
      args: {},
      ...(isVersion7 && { isProviderExecuted: true }),
    }
  }
  let isMapping = JSON.stringify(history ?? null).includes(MARK)
  return {
    ...schema,
    ...(needsApproval === true && { needsApproval }),
    execute(input: unknown, { toolCallId, abortSignal }: CallOptions) {
      const settle = (behaviour: ToolBehaviour): unknown => {
        const output = settled(behaviour)
        if (typeof output === 'object' && output !== null && MARK in output) isMapping = true
        return output
      }
      const behaviour = call(input, { toolCallId, signal: abortSignal })
      return behaviour instanceof Promise ? behaviour.then(settle) : settle(behaviour)
    },
    /** Absent until a case needs it, so that the SDK's default is used, too. */
    get toModelOutput() {
      return isMapping ? ({ output }: { output: unknown }) => mapped(output) : undefined
    },
  }
}

function schemaOf(schema: Readonly<Record<string, unknown>>): unknown {
  const validator = z.fromJSONSchema(schema)
  return jsonSchema(schema as Parameters<typeof jsonSchema>[0], {
    validate(value) {
      const { success, data, error } = validator.safeParse(value)
      return success ? { success, value: data } : { success: false, error: error ?? new Error('invalid') }
    },
  })
}

function settled(behaviour: ToolBehaviour): unknown {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'yields':
      return yielding(behaviour.texts)
    case 'returns-error':
      return { [MARK]: { type: 'error-text', value: behaviour.text } }
    case 'returns': {
      const [block, ...rest] = behaviour.content
      if (block === undefined) return undefined
      if (rest.length === 0 && behaviour.asParts !== true) {
        if (block.type === 'text') return block.text
        if (block.type === 'json') return block.value
      }
      return { [MARK]: { type: 'content', value: behaviour.content.map(toPart) } }
    }
  }
}

async function* yielding(texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) {
    await Promise.resolve()
    yield text
  }
}

function mapped(output: unknown): Output {
  if (typeof output === 'object' && output !== null && MARK in output) return withUrls(output[MARK] as Output)
  return typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: output === undefined ? null : output }
}

/** Version 7 requires URLs as objects, but saved outputs have URLs as strings. */
function withUrls({ type, value }: Output): Output {
  if (!Array.isArray(value)) return { type, value }
  const parts = value as readonly { readonly data?: { readonly type?: string; readonly url?: string } }[]
  const converted = parts.map((part) =>
    part.data?.type === 'url' ? { ...part, data: { type: 'url', url: new URL(part.data.url ?? '') } } : part,
  )
  return { type, value: converted }
}

/** Write a block in the form that the installed version requires. */
function toPart(block: ContentBlock): object {
  if (block.type === 'text') {
    const { text, name: filename, mediaType = '' } = block
    if (filename === undefined) return { type: 'text', text }
    if (isVersion7) return { type: 'file', mediaType, data: { type: 'text', text }, filename }
    return { type: 'file-data', mediaType, data: Buffer.from(text).toString('base64'), filename }
  }
  if (block.type === 'json') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'unknown') return { type: 'custom', providerOptions: { fake: { value: block.value } } }
  if (block.type === 'link') return { type: 'text', text: block.url }
  const { mediaType, name: filename } = block
  const named = filename === undefined ? {} : { filename }
  if (block.data === undefined) {
    if (isVersion7) return { type: 'file', mediaType, data: { type: 'url', url: block.url }, ...named }
    return { type: block.type === 'image' ? 'image-url' : 'file-url', url: block.url }
  }
  const data = Buffer.from(block.data).toString('base64')
  if (isVersion7) return { type: 'file', mediaType, data: { type: 'data', data }, ...named }
  return { type: block.type === 'image' ? 'image-data' : 'file-data', mediaType, data, ...named }
}
