import type { ContentBlock, ContextOffloader, OffloadedBlock, Outcome } from '@spillway/core'
import { writeMcpPart } from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'
import { commonAnnotations, isForUserAlone, readCallResult, type ResultPart } from './read-call-result.ts'
import { referenceUri } from './resource-uri.ts'

/** Under this key, `_meta` of a replaced result says what was stored, for programs. */
export const OFFLOADED_META_KEY = 'spillway/offloaded'

/** A result of `tools/call`, and the call that it answers. */
export interface CallResultRequest {
  readonly toolName: string
  readonly input: unknown
  readonly result: unknown
  /** Whether to add links that `resources/read` follows. */
  readonly resourceLinks: boolean
  /** Aborted where nobody waits for the result any more, which then stays as it is. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Offload a result of `tools/call` and return what takes its place; the very result where it stays.
 *
 * All that the host gets is measured. `structuredContent` that the content says as well is not stored a second time: it
 * goes where the content is replaced, and where both together are over the limit. Parts for the user alone are measured
 * and replaced by themselves, so that their preview keeps that mark.
 */
export async function offloadCallResult(offloader: ContextOffloader, request: CallResultRequest): Promise<unknown> {
  const { toolName, result, resourceLinks } = request
  const fields = fieldsOf(result)
  const { parts, structured, isSaidTwice, fields: large } = readCallResult(fields)
  // Such as a task, or a request for input.
  if (fields['content'] === undefined && fields['structuredContent'] === undefined) return result
  const forUser = parts.filter(({ part }) => isForUserAlone(part))
  const forModel = parts.filter((part) => !forUser.includes(part))
  const besides = [...(structured === undefined ? [] : [structured]), ...large.map(({ block }) => block)]
  const groups = [await offloadGroup(offloader, request, forModel, besides)]
  if (forUser.length > 0) groups.push(await offloadGroup(offloader, request, forUser, []))
  const stored = groups.flatMap(({ outcome }) => (outcome.status === 'offloaded' ? outcome.stored : []))
  const { structuredContent, ...unstructured } = fields
  if (stored.length === 0) return isSaidTwice && areOver(offloader, groups, structuredContent) ? unstructured : result

  const staying = new Set(groups.flatMap(({ outcome }) => outcome.content))
  const others = structured !== undefined && staying.has(structured) ? { ...fields } : { ...unstructured }
  for (const { name, block } of large) if (!staying.has(block)) delete others[name]
  const besidesOfParts = groups.flatMap((group) => group.besides)
  const offloaded = {
    tokens: tokensOf(groups),
    stored,
    ...(besidesOfParts.length > 0 && { parts: besidesOfParts }),
  }
  const links = resourceLinks ? stored.map((block) => linkTo(block, toolName)) : []
  return {
    ...others,
    content: [...groups.flatMap(({ content }) => content), ...links],
    _meta: { ...fieldsOf(others['_meta']), [OFFLOADED_META_KEY]: offloaded },
  }
}

/** What became of some parts of a result. */
interface OffloadedGroup {
  readonly outcome: Outcome
  /** The parts that take the place of these. */
  readonly content: readonly unknown[]
  /** What replaced parts had beside their content, where it is not stored. */
  readonly besides: readonly Fields[]
}

async function offloadGroup(
  offloader: ContextOffloader,
  { toolName, input, result, signal }: CallResultRequest,
  parts: readonly ResultPart[],
  besides: readonly ContentBlock[],
): Promise<OffloadedGroup> {
  const content = [...parts.flatMap(({ block, rest }) => (rest === undefined ? [block] : [block, rest])), ...besides]
  const outcome = await offloader.offload({
    toolName,
    // The ids of requests begin anew with each connection; that of the call in the conversation is not told.
    toolCallId: toolName,
    input,
    isError: fieldsOf(result)['isError'] === true,
    signal,
    content,
  })
  const [own, staying] = [new Set(content), new Set(outcome.content)]
  const isWhole = ({ rest }: ResultPart): boolean => rest === undefined || staying.has(rest)
  const replaced = parts.filter(({ block }) => !staying.has(block))
  const annotations = commonAnnotations(replaced.map(({ part }) => part))
  return {
    outcome,
    content: [
      ...outcome.content
        .filter((block) => !own.has(block))
        .map((block) => ({ ...writeMcpPart(block), ...(annotations !== undefined && { annotations }) })),
      ...parts.filter(({ block }) => staying.has(block)).map((kept) => (isWhole(kept) ? kept.part : kept.bare)),
    ],
    besides: replaced
      .filter((part) => isWhole(part) && Object.keys(part.beside).length > 0)
      .map(({ beside }) => beside),
  }
}

function tokensOf(groups: readonly OffloadedGroup[]): { readonly original: number; readonly replacement: number } {
  let [original, replacement] = [0, 0]
  for (const { outcome } of groups) {
    original += outcome.tokens.original
    replacement += outcome.status === 'offloaded' ? outcome.tokens.replacement : outcome.tokens.original
  }
  return { original, replacement }
}

/** Whether parts within the limit are over it together with structured content that repeats them. */
function areOver(
  { options: { countTokens, maxResultTokens } }: ContextOffloader,
  groups: readonly OffloadedGroup[],
  structuredContent: unknown,
): boolean {
  if (groups.some(({ outcome }) => outcome.status !== 'inline' || outcome.reason !== 'within-limit')) return false
  const text = JSON.stringify(structuredContent)
  return text.length > LARGE_TEXT || tokensOf(groups).original + countTokens(text) > maxResultTokens
}

/** Texts of so many characters are over any limit that pays. */
const LARGE_TEXT = 65_536

/** Tell whether a result of `tools/call` may be over the limit; some that are not are said to be. */
export function mayBeReplaced({ options }: ContextOffloader, result: unknown): boolean {
  const { content, structuredContent } = fieldsOf(result)
  const { countTokens, includeRetrievalTool, maxResultTokens } = options
  if (!includeRetrievalTool || (content === undefined && structuredContent === undefined)) return false
  const texts = Array.isArray(content) ? content.map((part) => fieldsOf(part)['text']) : []
  if (texts.some((text) => typeof text === 'string' && text.length > LARGE_TEXT)) return true
  return countTokens(JSON.stringify(result)) > maxResultTokens
}

function linkTo({ reference, type, contentType, size }: OffloadedBlock, toolName: string): Fields {
  const name = `${toolName} (${type})`
  return { type: 'resource_link', uri: referenceUri(reference), name, mimeType: contentType, size }
}
