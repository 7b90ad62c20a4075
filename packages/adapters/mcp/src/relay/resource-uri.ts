import type { RetrievalCall } from '@spillway/core'

const SCHEME = 'spillway:'
const PREFIX = `${SCHEME}///`

/** The template of the resources behind links, as `resources/templates/list` shows it (RFC 6570). */
export const RESOURCE_TEMPLATE: string = `${PREFIX}{reference}{?pattern,lines}`

/** Name stored content by a URI; without a query it stands for the whole of it. */
export const referenceUri = (reference: string): string => `${PREFIX}${encodeURIComponent(reference)}`

/** What a URI of stored content asks for. */
export interface ResourceRequest {
  readonly reference: string
  /** Absent where the whole is asked for. */
  readonly call: RetrievalCall | undefined
}

/** Read a URI of stored content; `undefined` for any other, which is not ours to answer. */
export function parseResourceUri(uri: unknown): ResourceRequest | undefined {
  if (typeof uri !== 'string' || !uri.startsWith(PREFIX)) return undefined
  const [path = '', query] = uri.slice(PREFIX.length).split('?', 2)
  const reference = decode(path)
  if (reference === undefined) return undefined
  const parameters = new URLSearchParams(query ?? '')
  const pattern = parameters.get('pattern') ?? undefined
  const lines = /^(\d+)[-:](\d+)$/.exec(parameters.get('lines') ?? '')
  if (pattern === undefined && lines === null) return { reference, call: undefined }
  const line_range = lines === null ? undefined : { start: Number(lines[1]), end: Number(lines[2]) }
  return { reference, call: { reference, pattern, line_range } }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return undefined
  }
}
