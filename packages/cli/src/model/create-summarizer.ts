import type { Summarize } from '@spillway/history'
import { usageError } from '../cli-error.ts'
import { chatSummarizer } from './chat-summarizer.ts'
import { DEFAULT_BASE_URL, type ModelOptions } from './model-options.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Make what asks the model for summaries; `undefined` where no model is named.
 *
 * Throws a `usage` error for a URL that is none, has a password, or would carry the key over plain HTTP to another machine.
 */
export function createSummarizer(
  { model, modelBaseUrl }: ModelOptions,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Summarize | undefined {
  if (model === undefined) {
    if (modelBaseUrl !== undefined) throw usageError('--model-base-url needs --model: the name of the model there.')
    return undefined
  }
  const baseUrl = parseBaseUrl(modelBaseUrl ?? DEFAULT_BASE_URL)
  const apiKey = firstOf(environment['SPILLWAY_MODEL_API_KEY'], environment['OPENAI_API_KEY'])
  if (apiKey !== undefined && baseUrl.protocol === 'http:' && !LOOPBACK.test(baseUrl.hostname))
    throw usageError(
      `--model-base-url: the key is not sent over plain HTTP to another machine. Use https://, or unset ` +
        'SPILLWAY_MODEL_API_KEY and OPENAI_API_KEY where the model needs none.',
    )
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

const firstOf = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find((value) => value !== undefined && value !== '')
