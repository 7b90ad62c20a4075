import { parseJsonText } from '@spillway/core/adapter'
import type { Summarize } from '@spillway/history'
import { setTimeout as sleep } from 'node:timers/promises'
import { usageError } from '../cli-error.ts'
import { DEFAULT_BASE_URL, type ModelOptions } from '../commands/options.ts'

/** A model that is called through an API like OpenAI's chat completions. */
export interface ChatModel {
  readonly model: string
  /** The URL before `/chat/completions`. */
  readonly baseUrl: URL
  /** Key that is sent as a bearer token. */
  readonly apiKey?: string | undefined
  /** The timeout of one attempt in milliseconds. Defaults to 60,000. */
  readonly attemptTimeoutMs?: number | undefined
  /** The first delay in milliseconds. Each attempt doubles it. Defaults to 500. */
  readonly retryDelayMs?: number | undefined
}

const MAX_ATTEMPTS = 5
const MAX_ANSWER_BYTES = 4_194_304
const MAX_RETRY_AFTER_MS = 30_000

/** A failure of the model. Its message contains no text of the conversation. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** The minimum delay before a retry. `undefined` if a retry cannot help. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options)
    this.retryAfterMs = retryAfterMs
  }
}

/** Create a summarizer that retries with growing delays. Rejects with a {@link ModelError} or the signal's reason. */
export function chatSummarizer({ retryDelayMs = 500, ...model }: ChatModel): Summarize {
  return async ({ prompt, signal }) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await askModel(prompt, model, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ModelError) || error.retryAfterMs === undefined || attempt === MAX_ATTEMPTS) throw error
        const delay = retryDelayMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
        await sleep(Math.max(delay, error.retryAfterMs), undefined, { signal })
      }
    }
  }
}

async function askModel(
  prompt: string,
  { model, baseUrl, apiKey, attemptTimeoutMs = 60_000 }: Omit<ChatModel, 'retryDelayMs'>,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/chat/completions`
  let response: Response
  let text: string | undefined
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
      // A redirect could send the key to another server.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
    })
    if (response.ok) text = await readLimited(response)
    else await response.body?.cancel()
  } catch (cause) {
    throw new ModelError('The model could not be reached.', 0, { cause })
  }
  if (!response.ok) throw new ModelError(`The model answered with status ${response.status}.`, retryAfter(response))
  if (text === undefined) throw new ModelError(`The model answered with more than ${MAX_ANSWER_BYTES} bytes.`)
  const answer = parseJsonText(text)
  if (answer === undefined) throw new ModelError('The model answered without valid JSON.')
  const content = contentIn(answer)
  if (content === undefined) throw new ModelError('The model answered without a message.')
  return content
}

function contentIn(answer: unknown): string | undefined {
  const [choice] = (Object(answer) as { readonly choices?: readonly unknown[] }).choices ?? []
  const { content } = Object((Object(choice) as { readonly message?: unknown }).message) as {
    readonly content?: unknown
  }
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map(textOfPart).join('') : undefined
}

function textOfPart(part: unknown): string {
  const { text } = Object(part) as { readonly text?: unknown }
  return typeof text === 'string' ? text : ''
}

function retryAfter({ status, headers }: Response): number | undefined {
  if (status !== 408 && status !== 409 && status !== 429 && status < 500) return undefined
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : 0
}

/** Read the body; `undefined` if it is too large. */
async function readLimited({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the body.
    if (size > MAX_ANSWER_BYTES) return undefined
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks, size))
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Create the summarizer of the options; `undefined` without a model. Throws a `usage` error for an unsafe URL, or a missing key. */
export function createSummarizer(
  { model, modelBaseUrl }: ModelOptions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Summarize | undefined {
  if (model === undefined) {
    if (modelBaseUrl !== undefined) throw usageError('--model-base-url needs --model, the name of the model.')
    return undefined
  }
  const baseUrl = parseBaseUrl(modelBaseUrl ?? DEFAULT_BASE_URL)
  const apiKey = environment['SPILLWAY_MODEL_API_KEY'] || environment['OPENAI_API_KEY'] || undefined
  if (apiKey !== undefined && baseUrl.protocol === 'http:' && !LOOPBACK.test(baseUrl.hostname))
    throw usageError(
      `--model-base-url: the key is not sent over plain HTTP to another machine. Use https://, or unset ` +
        'SPILLWAY_MODEL_API_KEY and OPENAI_API_KEY if the model needs no key.',
    )
  if (apiKey === undefined && modelBaseUrl === undefined)
    throw usageError('--model needs a key in SPILLWAY_MODEL_API_KEY or OPENAI_API_KEY, or --model-base-url.')
  return chatSummarizer({ model, baseUrl, apiKey })
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError('--model-base-url begins with https:// or http://, as in http://127.0.0.1:11434/v1.')
  if (url.username !== '' || url.password !== '')
    throw usageError('--model-base-url: leave user name and password out. The key comes from SPILLWAY_MODEL_API_KEY.')
  return url
}
