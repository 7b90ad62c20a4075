import { PatternError } from '@spillway/text/internal'
import { StorageError } from '../storage/storage-error.ts'
import { answerFull } from './answer-full.ts'
import type { FullAnswer } from './answer-full.ts'
import { answerBytes, answerHead, answerRange } from './answer-lines.ts'
import { answerPattern } from './answer-pattern.ts'
import { answerScope } from './answer-scope.ts'
import { explainStorageError } from './failure-message.ts'
import { cutToFit } from './fit-answer.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { RetrievalErrorCode } from './retrieval-error.ts'
import type { RetrievalEvent, RetrievalMode } from './retrieval-event.ts'
import { parseRetrievalInput } from './retrieval-input.ts'
import type { RetrievalRequest } from './retrieval-input.ts'
import type { RetrievalResult } from './retrieval-tool.ts'
import { callInText, textBeside } from './text-beside.ts'

/** Answer a call of the retrieval tool: with what was asked for, or with what to do next. */
export async function retrieve(
  input: unknown,
  context: RetrievalContext,
): Promise<{ readonly result: RetrievalResult; readonly event: RetrievalEvent }> {
  let request: RetrievalRequest | undefined
  try {
    request = parseRetrievalInput(input)
    const { reference } = request
    const mode = modeOf(request)
    const { block, text } = await answer(request, context)
    const event = { type: 'retrieval', mode, reference, tokens: context.countTokens(text), isError: false } as const
    return { result: { isError: false, content: [block] }, event }
  } catch (error) {
    const { code, message } = await explain(error, request, context)
    const text = cutToFit(`Error: ${message}`, context)
    const event = {
      type: 'retrieval',
      mode: request === undefined ? 'invalid' : modeOf(request),
      reference: request?.reference,
      tokens: context.countTokens(text),
      isError: true,
      code,
    } as const
    return { result: { isError: true, content: [{ type: 'text', text }], code }, event }
  }
}

async function answer(request: RetrievalRequest, context: RetrievalContext): Promise<FullAnswer> {
  if (request.mode === 'full') return await answerFull(request.reference, context)
  const text = cutToFit(await answerText(request, context), context)
  return { block: { type: 'text', text }, text }
}

function modeOf(request: RetrievalRequest): RetrievalMode {
  const { mode, reference } = request
  if (mode === 'pattern' && request.countOnly) return 'count'
  return reference === undefined && (mode === 'pattern' || mode === 'query') ? `scope-${mode}` : mode
}

async function answerText(
  request: Exclude<RetrievalRequest, { mode: 'full' }>,
  context: RetrievalContext,
): Promise<string> {
  // What only one way of asking needs is loaded with it.
  switch (request.mode) {
    case 'range':
      return await answerRange(request.reference, request.range, context)
    case 'bytes':
      return await answerBytes(request, context)
    case 'head':
      return await answerHead(request, context)
    case 'json-path':
      return await (await import('./json-path/answer-json-path.ts')).answerJsonPath(request, context)
    case 'query':
      return await (await import('./query/answer-query.ts')).answerQuery(request, context)
    case 'table':
      return await (await import('./table/answer-table.ts')).answerTable(request, context)
    case 'pattern': {
      const { reference } = request
      return reference === undefined
        ? await answerScope(request, context)
        : await answerPattern({ ...request, reference }, context)
    }
  }
}

/** Turn what storage, the pattern or the input is to blame for into an answer; rethrow the rest. */
async function explain(
  error: unknown,
  request: RetrievalRequest | undefined,
  context: RetrievalContext,
): Promise<{ readonly code: RetrievalErrorCode; readonly message: string }> {
  const reference = request?.reference
  if (error instanceof RetrievalError) {
    const { code, call } = error
    const message = call === undefined ? error.message : `${error.message} ${context.formatCall(call)}`
    const text =
      (code === 'not-text' || code === 'too-large') && request?.mode !== 'json-path' && reference !== undefined
        ? await textBeside(reference, context)
        : undefined
    if (text !== undefined) {
      const instead = context.formatCall(callInText(request, text))
      return { code, message: `This content is binary, and its text is stored beside it. To use that: ${instead}` }
    }
    return { code, message }
  }
  if (StorageError.isInstance(error)) {
    return { code: error.code, message: await explainStorageError(error, reference, context) }
  }
  if (error instanceof PatternError && error.code === 'timeout') {
    const message =
      'The pattern took too long to match and was stopped. Simplify it (no nested or overlapping repeats, such as ' +
      '(a+)+ or .*.*), search for a keyword, or narrow the line_range.'
    return { code: 'pattern-timeout', message }
  }
  if (error instanceof PatternError) {
    return { code: 'pattern-refused', message: `${error.message} Simplify the pattern, or search for a keyword.` }
  }
  throw error
}
