import assert from 'node:assert/strict'
import { RETRIEVAL_TOOL_NAME, type RetrievalResult } from '@spillway/core'
import type { ModelTurn, SeenResult } from '../harness.ts'
import { assertSameText } from './assert-same-text.ts'
import { SESSION, type Bench } from './bench.ts'
import { abridged, fencedJsonOf, textOf } from './seen-results.ts'

/** Create a model turn that calls the retrieval tool. */
export function retrieving(input: unknown, id = 'retrieval_1'): ModelTurn {
  return { toolCalls: [{ id, name: RETRIEVAL_TOOL_NAME, input }] }
}

/** Require that the model sees the complete answer of the retrieval tool, marked as an error if it is one. */
export async function assertAnswer(
  seen: SeenResult,
  bench: Bench,
  input: unknown,
  session = SESSION,
): Promise<RetrievalResult> {
  const answer = await bench.offloader.forScope(session).retrievalTool.execute(input)
  const [block] = answer.content
  const json = answer.content.find(({ type }) => type === 'json')
  const what = `The answer to ${JSON.stringify(input)} must reach the model as it is`
  if (block?.type === 'text' && answer.isError) {
    assert.ok(textOf(seen).includes(block.text), `${what}: ${JSON.stringify(block.text)}; it sees: ${abridged(seen)}`)
    assert.notEqual(seen.isError, false, `The answer to ${JSON.stringify(input)} is an error without the mark`)
  } else {
    assert.notEqual(
      seen.isError,
      true,
      `The answer to ${JSON.stringify(input)} is marked as an error: ${abridged(seen)}`,
    )
    if (json?.type === 'json') assert.deepEqual(fencedJsonOf(seen), json.value, what)
    else if (block?.type === 'text') assertSameText(textOf(seen), block.text, what)
  }
  return answer
}
