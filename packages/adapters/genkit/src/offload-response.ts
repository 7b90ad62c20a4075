import type { ContentBlock, ContextOffloader } from '@spillway/core'
import { offloadParts } from '@spillway/core/adapter'
import type { Part, ToolResponsePart } from 'genkit'
import { readPart, writePart } from './content-part.ts'
import { outputForm } from './output-form.ts'

/** The output of a tool, a part of it, or a part of the content beside it. */
interface Piece {
  readonly value: unknown
  readonly block: ContentBlock
}

/** Offload the output and the content of a tool response, and keep all else of it. Returns the very part where it stays. */
export async function offloadResponse(
  offloader: ContextOffloader,
  part: ToolResponsePart,
  call: { readonly input: unknown; readonly signal: AbortSignal | undefined },
): Promise<ToolResponsePart> {
  const { content = [], ...response } = part.toolResponse
  const { values, toBlock, isError, replace } = outputForm(response.output)
  const ofOutput = values.map((value): Piece => ({ value, block: toBlock(value) }))
  const outcome = await offloadParts<Piece>(offloader, {
    ...call,
    toolName: response.name,
    // Gemini, for one, gives calls no id.
    toolCallId: response.ref ?? response.name,
    isError,
    parts: [...ofOutput, ...content.map((value) => ({ value, block: readPart(value) }))],
    toBlock: ({ block }) => block,
    fromText: (text) => ({ value: text, block: { type: 'text', text } }),
    fromBlock: (block) => ({ value: writePart(block), block }),
  })
  if (outcome.status === 'inline') return part
  const [replacement, ...kept] = outcome.parts
  const keptOutput = kept.filter((piece) => ofOutput.includes(piece)).map(({ value }) => value)
  const keptContent = kept.filter((piece) => !ofOutput.includes(piece)).map(({ value }) => value as Part)
  const output = replace(replacement.value as string, keptOutput)
  const beside = keptContent.length === 0 ? {} : { content: keptContent }
  return { ...part, toolResponse: { ...response, output, ...beside } }
}
