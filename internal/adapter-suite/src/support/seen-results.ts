import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { ContentBlock } from '@spillway/core'
import type { ConversationResult, SeenPrompt, SeenResult } from '../harness.ts'

/** First characters of every text that replaces an offloaded result. */
export const OFFLOADED = '[Offloaded: '

/** Return the text of a result: text unchanged, values as JSON, without media. */
export function textOf(result: Pick<SeenResult, 'content'>): string {
  return result.content.map(blockText).join('')
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'json') return typeof block.value === 'string' ? block.value : (JSON.stringify(block.value) ?? '')
  return ''
}

/** Return the JSON value of a result, from a value or from a text. */
function jsonOf(result: SeenResult): unknown {
  try {
    return JSON.parse(textOf(result))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return assert.fail(`The result must be JSON; the model sees: ${abridged(result)}`)
  }
}

/** Return the JSON value between the two lines of a fence, whatever separators the framework writes. */
export function fencedJsonOf(result: SeenResult): unknown {
  const inside = /untrusted content"?,?\s*([^]*?),?\s*"?>>> end of /.exec(textOf(result))?.[1]
  return jsonOf({ ...result, content: [{ type: 'text', text: inside ?? '' }] })
}

/** Return the last prompt of a run. */
export function lastPrompt({ prompts }: ConversationResult): SeenPrompt {
  const prompt = prompts.at(-1)
  assert.ok(prompt !== undefined, 'The model was never called, or the harness did not record its prompts')
  return prompt
}

/** Return the last tool result of a prompt, or the last one with this id. */
export function lastResult(prompt: SeenPrompt, toolCallId?: string): SeenResult {
  const result = prompt.results.findLast((one) => toolCallId === undefined || one.toolCallId === toolCallId)
  const which = toolCallId === undefined ? 'no tool result' : `no result of tool call ${JSON.stringify(toolCallId)}`
  assert.ok(result !== undefined, `The prompt has ${which}; it has ${prompt.results.length} results`)
  return result
}

/** Return the references after the last `[Stored references:]` of a result. */
export function referencesIn(result: SeenResult): readonly string[] {
  const text = textOf(result)
  const list = text.slice(text.lastIndexOf('[Stored references:]'))
  return Array.from(list.matchAll(/^ {2}([a-z0-9_]{1,64}) \(/gm), ([, reference]) => reference ?? '')
}

/** Return the reference of a result that was offloaded as a single block. */
export function referenceIn(result: SeenResult): string {
  assert.ok(textOf(result).includes(OFFLOADED), `The result was not offloaded; the model sees: ${abridged(result)}`)
  const references = referencesIn(result)
  assert.equal(references.length, 1, `Expected one stored reference; the model sees: ${abridged(result)}`)
  return references[0] ?? ''
}

/** Require that two results are the same, by default the result with and without an offloader. */
export function assertSameResult(
  actual: SeenResult,
  expected: SeenResult,
  promise: string = 'A tool result must be what it is without an offloader',
): void {
  const { content, ...rest } = actual
  const { content: expectedContent, ...expectedRest } = expected
  assert.deepEqual(rest, expectedRest, 'The id, the tool name, or the error mark of a tool result has changed')
  // `deepEqual` would compute a diff, which takes a minute for long texts.
  assert.ok(
    isDeepStrictEqual(content, expectedContent),
    `${promise}.\n  before: ${abridged(expected)}\n  now:    ${abridged(actual)}`,
  )
}

/** Return the beginning of a result for an error message. */
export function abridged({ content }: Pick<SeenResult, 'content'>): string {
  const blocks = content.map((block) =>
    'data' in block && block.data ? `<${block.type} of ${block.data.length} bytes>` : JSON.stringify(block),
  )
  return (
    blocks
      .map((block) => (block.length > 300 ? `${block.slice(0, 300)}… (${block.length} characters)` : block))
      .join(', ') || 'nothing'
  )
}
