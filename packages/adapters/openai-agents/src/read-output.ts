import { toSmartString } from '@openai/agents/utils'
import type { ContentBlock } from '@spillway/core'
import { parseJson } from './parse-json.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the SDK reads the content of images and files from. */
const MEDIA_FIELD = /^(?:image|imageUrl|data|file|fileData|fileUrl|fileId)$/

/** Read a text or a value that a tool returned, and what the SDK makes of it; `undefined` for the parts of a result. */
export function readOutput(output: unknown): { readonly text: string; readonly block: ContentBlock } | undefined {
  const { type, text: own, providerData } = Object(output) as Fields
  if (type === 'text' && typeof own === 'string' && providerData === undefined) return readOutput(own)
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output]
  if (parts.length > 0 && parts.every(isPart)) return undefined
  const text = toSmartString(output)
  if (typeof output !== 'object' || output === null) return { text, block: { type: 'text', text } }
  // Bytes in a value the SDK shows in a few words, where JSON would have a number for each.
  return { text, block: { type: 'json', value: text.includes('[byte array ') ? parseJson(text) : output } }
}

function isPart(value: unknown): boolean {
  const { type, text } = Object(value) as Fields
  if (type === 'text') return typeof text === 'string'
  return (type === 'image' || type === 'file') && Object.keys(value as object).some((name) => MEDIA_FIELD.test(name))
}
