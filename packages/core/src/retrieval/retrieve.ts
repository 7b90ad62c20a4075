import {
  closestNames,
  countOf,
  formatCount,
  isTextContentType,
  PatternError,
  yieldWhenDue,
  type MediaBlock,
} from '@spillway/text/internal'
import { TEXT_OF } from '../content/text-of-document.ts'
import { StorageError, type Eviction, type EvictionReason } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { answerBytes, answerFull, answerHead, answerRange } from './answer-lines.ts'
import { canList, listNewest } from './open-content.ts'
import { EXAMPLE, parseRetrievalInput, type RetrievalRequest } from './retrieval-input.ts'
import {
  RetrievalError,
  type RetrievalCall,
  type RetrievalContext,
  type RetrievalErrorCode,
  type RetrievalEvent,
  type RetrievalMode,
  type RetrievalResult,
} from './retrieval-tool.ts'
import {
  cutToFit,
  formatPart,
  quote,
  shownType,
  textFits,
  writeAnswer,
  type Answer,
  type AnswerPart,
} from './write-answer.ts'

export async function retrieve(
  input: unknown,
  context: RetrievalContext,
): Promise<{ readonly result: RetrievalResult; readonly event: RetrievalEvent }> {
  const started = performance.now()
  let request: RetrievalRequest | undefined
  try {
    request = parseRetrievalInput(input)
    const { reference } = request
    const mode = modeOf(request)
    // Calls of one caller wait for each other here, so that they do not delay the calls of other callers.
    await yieldWhenDue(context.storage.caller)
    const answer = await answerRequest(request, context)
    const { tokens, ...result } = 'header' in answer ? answerResult(answer, context) : mediaResult(answer)
    const durationMs = performance.now() - started
    return { result, event: { type: 'retrieval', mode, reference, tokens, durationMs, isError: false } }
  } catch (error) {
    const { code, message, advice = { reference: '' } } = await explain(error, input, request, context)
    const whole = [`${ERROR}${message}`, ...formatPart(advice)].join('\n')
    const text = textFits(whole, context) ? whole : cutToFit(`${ERROR}${message}`, context)
    const event = {
      type: 'retrieval',
      mode: request === undefined ? 'invalid' : modeOf(request),
      reference: request?.reference,
      tokens: context.countTokens(text),
      durationMs: performance.now() - started,
      isError: true,
      code,
    } as const
    return {
      result: { isError: true, content: [{ type: 'text', text }], code, message: text.slice(ERROR.length) },
      event,
    }
  }
}

const ERROR = 'Error: '

type Answered = Extract<RetrievalResult, { isError: false }> & { readonly tokens: number }

function mediaResult(block: MediaBlock): Answered {
  return { isError: false, content: [block], matchingLines: [], isComplete: true, tokens: 0 }
}

function answerResult(answer: Answer, context: RetrievalContext): Answered {
  const { matches, parts = [], rest, table, isPartial = false } = answer
  const { text, content, isWhole } = writeAnswer(answer, context)
  const isComplete = isWhole && rest === undefined && !isPartial
  const matchingLines = (isWhole ? parts : []).flatMap(({ reference, matchingLines: lines = [] }) =>
    lines.map((line) => ({ reference, ...line })),
  )
  const tokens = context.countTokens(text)
  const shown = isWhole ? table : undefined
  return { isError: false, content, matches, matchingLines, table: shown, isComplete, continuation: rest?.call, tokens }
}

function modeOf(request: RetrievalRequest): RetrievalMode {
  const { mode, reference } = request
  if (mode === 'pattern' && request.countOnly) return 'count'
  return reference === undefined && (mode === 'pattern' || mode === 'query') ? `scope-${mode}` : mode
}

async function answerRequest(request: RetrievalRequest, context: RetrievalContext): Promise<Answer | MediaBlock> {
  // The code of each mode is loaded with the first call of the mode.
  switch (request.mode) {
    case 'full':
      return await answerFull(request.reference, context)
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
    case 'sql':
      return await (await import('./sql/answer-sql.ts')).answerSql(request, context)
    case 'pattern': {
      const { reference } = request
      if (reference === undefined) return await (await import('./answer-scope.ts')).answerScope(request, context)
      return await (await import('./answer-pattern.ts')).answerPattern({ ...request, reference }, context)
    }
  }
}

/** Explains an error to the model. An error that is not from the storage, the pattern or the input is thrown again. */
async function explain(
  error: unknown,
  input: unknown,
  request: RetrievalRequest | undefined,
  context: RetrievalContext,
): Promise<{ readonly code: RetrievalErrorCode; readonly message: string; readonly advice?: AnswerPart }> {
  const reference = request?.reference
  if (error instanceof RetrievalError) {
    const { code, call, stored } = error
    const given = (input as RetrievalCall | null)?.reference
    const own = call === EXAMPLE && typeof given === 'string' && given !== '' ? { ...call, reference: given } : call
    const message = own === undefined ? error.message : `${error.message} ${context.formatCall(own)}`
    const text =
      (code === 'not-text' || code === 'too-large') && request?.mode !== 'json-path' && reference !== undefined
        ? await textBeside(reference, context)
        : undefined
    if (text !== undefined) {
      const instead = context.formatCall({ ...(input as RetrievalCall), reference: text })
      return { code, message: `This content is binary. To read its text: ${instead}` }
    }
    const right = stored?.call && `A valid call: ${context.formatCall(stored.call)}`
    const remarks = [...(stored?.remarks ?? []), ...(right === undefined ? [] : [right])]
    return { code, message, advice: { reference: reference ?? '', remarks } }
  }
  if (StorageError.isInstance(error)) {
    return { code: error.code, message: await explainStorageError(error, error.reference ?? reference, context) }
  }
  if (error instanceof PatternError && error.code === 'timeout') {
    return { code: 'pattern-timeout', message: `${error.message} Search for a keyword, or narrow the line_range.` }
  }
  if (error instanceof PatternError) {
    return { code: 'pattern-refused', message: `${error.message} Simplify the pattern, or search for a keyword.` }
  }
  throw error
}

const MAX_SUGGESTIONS = 10
/** Number of new references to compare with an unknown reference. The answer names up to `MAX_CLOSEST` of them. */
const MAX_COMPARED = 300
const MAX_CLOSEST = 3
const MIN_COMPARED_LENGTH = 3
const MAX_COMPARED_LENGTH = 128

const REASONS: Readonly<Record<EvictionReason, string>> = {
  turns: 'because it had not been used for many turns',
  age: 'because it had not been used for a long time',
  quota: 'to make room for newer content',
}

/** Explains an error of the storage, without the storage's message, which may contain hosts and paths. */
async function explainStorageError(
  error: StorageError,
  reference: string | undefined,
  context: RetrievalContext,
): Promise<string> {
  const name = reference === undefined ? 'This content' : quote(reference)
  switch (error.code) {
    case 'not-found':
      return `Nothing is stored under ${name}. ${await suggest(reference, context)}`
    case 'invalid-reference':
      return (
        `${name} is not a reference: paths and addresses are not accepted. Copy one exactly as it is written under ` +
        `[Stored references:]. ${canList(context) ? await suggest(reference, context) : ''}`
      ).trim()
    case 'evicted':
      return `${name} was removed from storage${error.eviction === undefined ? '' : when(error.eviction)}. ${runAgain(error.eviction)}`
    case 'unavailable':
      return `The storage is not available at the moment, so ${reference === undefined ? 'the content' : name} could not be read. It is not lost: try the same call again.`
    case 'aborted':
      return 'The call was aborted.'
    case 'corrupt':
      return `${name} is damaged and cannot be read. Run the original tool again.`
    default:
      return `${name} could not be read (${error.code}). Run the original tool again, or work with the preview.`
  }
}

async function suggest(asked: string | undefined, context: RetrievalContext): Promise<string> {
  const again = 'Use a reference exactly as it is written under [Stored references:].'
  if (!canList(context)) return again
  try {
    const { newest, total } = await listNewest(context, MAX_COMPARED, false)
    if (total === 0) return 'Nothing is stored here. Run the tool whose result you need again.'
    const list = newest.slice(0, MAX_SUGGESTIONS).map(describe)
    const which =
      total > list.length ? `The newest ${list.length} of ${formatCount(total)} references` : 'These references exist'
    const closest = closestTo(asked, newest).map(describe)
    const near = closest.length === 0 ? '' : `Most similar: ${closest.join(', ')}. `
    return `${near}${which}: ${list.join(', ')}`
  } catch (error) {
    // The answer explains another failure, and is useful even without this list.
    if (StorageError.isInstance(error) || error instanceof RetrievalError) return again
    throw error
  }
}

function closestTo(asked: string | undefined, entries: readonly StoredInfo[]): readonly StoredInfo[] {
  if (asked === undefined || asked.length < MIN_COMPARED_LENGTH || asked.length > MAX_COMPARED_LENGTH) return []
  const names = new Set(entries.flatMap(({ key, reference }) => [key, reference]))
  names.delete('')
  // Several entries may have the same key.
  const closest = closestNames(asked, [...names], 2 * MAX_CLOSEST).flatMap((name) =>
    entries.filter(({ key, reference }) => key === name || reference === name),
  )
  return [...new Set(closest)].slice(0, MAX_CLOSEST)
}

function describe({ reference, contentType, size }: StoredInfo): string {
  return `${reference} (${shownType(contentType)}, ${countOf(size, 'byte')})`
}

function when({ reason, evictedAt }: Eviction): string {
  const date = new Date(evictedAt)
  const time = Number.isNaN(date.getTime()) ? '' : ` at ${date.toISOString().slice(0, 19)}Z`
  return `${time}, ${REASONS[reason]}`
}

function runAgain(eviction: Eviction | undefined): string {
  const tool = eviction?.metadata['tool']
  const which = tool === undefined ? 'the tool that returned it' : `the tool ${quote(tool)}`
  return `Run ${which} again to get a fresh result.`
}

async function textBeside(reference: string, context: RetrievalContext): Promise<string | undefined> {
  if (!canList(context)) return undefined
  let text: StoredInfo | undefined
  const onEntry = (info: StoredInfo): void => {
    if (info.metadata[TEXT_OF] !== reference || !isTextContentType(info.contentType)) return
    if ((text?.storedAt ?? -Infinity) <= info.storedAt) text = info
  }
  try {
    await listNewest(context, 0, true, onEntry)
  } catch (error) {
    // The answer describes the document, and is useful even without its text.
    if (StorageError.isInstance(error) || error instanceof RetrievalError) return undefined
    throw error
  }
  return text?.reference
}
