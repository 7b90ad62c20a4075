import { StorageError } from '@spillway/core'
import {
  aiSdkMessages,
  anthropicMessages,
  compactHistory,
  expandHistory,
  geminiContents,
  offloaderArchive,
  openAIAgents,
  openAIChat,
  openAIResponses,
  reloadHistory,
  type HistoryArchive,
  type HistoryFormat,
  type HistoryOptions,
  type HistoryOutcome,
  type HistoryProgress,
} from '@spillway/history'
import { z } from 'zod'
import { FileArchive, type FileArchiveOptions } from '../reme/file-archive.ts'
import { remeFormat } from '../reme/reme-format.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../routes/route.ts'
import {
  assertApplied,
  assertConversation,
  explainObstacle,
  failureNotes,
  historyStep,
  requireSummarize,
  type HistoryServices,
} from './history-step.ts'

type FormatName = 'openai-chat' | 'openai-responses' | 'openai-agents' | 'anthropic' | 'ai-sdk' | 'gemini' | 'reme'

const FORMATS: Readonly<Record<FormatName, () => HistoryFormat<unknown>>> = {
  'openai-chat': openAIChat,
  'openai-responses': openAIResponses,
  'openai-agents': openAIAgents,
  anthropic: anthropicMessages,
  'ai-sdk': aiSdkMessages,
  gemini: geminiContents,
  reme: remeFormat,
}

const FORMAT_NAMES: readonly FormatName[] = Object.keys(FORMATS) as FormatName[]

const historyFormat = (name: FormatName): HistoryFormat<unknown> => FORMATS[name]()

const tokens = z.number().positive()

const conversation = {
  format: z.enum(FORMAT_NAMES).meta({ description: 'The message format.' }),
  messages: z.unknown().meta({ description: 'The conversation in the format of its API, which the answer has too.' }),
}

const historyRequestSchema = z
  .object({
    ...conversation,
    mode: z.enum(['compact', 'compress', 'auto']).optional().meta({ description: 'Defaults to auto.' }),
    maxTotalTokens: tokens.optional().meta({ description: 'Defaults to 20000.' }),
    maxToolMessageTokens: tokens.optional().meta({ description: 'Defaults to 2000.' }),
    keepRecent: z.int().min(0).optional().meta({ description: 'Defaults to 1 for compacting, 2 for compressing.' }),
    groupTokens: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Tokens of one summarised group; 0, the default, for one.' }),
    compactRatioThreshold: z.number().min(0).max(1).optional().meta({ description: 'Defaults to 0.75.' }),
    historyPreviewTokens: z.int().min(0).optional().meta({ description: 'Defaults to 50.' }),
    instructions: z.string().max(10_000).optional().meta({ description: 'Additional instructions for summaries.' }),
  })
  .meta({ id: 'HistoryRequest' })

const expandRequestSchema = z
  .object({
    ...conversation,
    only: z.array(z.string()).max(10_000).optional().meta({ description: 'Only these references. Defaults to all.' }),
  })
  .meta({ id: 'ExpandRequest' })

const referencesRequestSchema = z.object(conversation).meta({ id: 'ReferencesRequest' })

const size = z.object({ before: z.number(), after: z.number(), limit: z.number() })

const referencesAnswerSchema = z
  .object({
    references: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        contentType: z.string(),
        size: z.number().meta({ description: 'Bytes.' }),
        index: z.number().meta({ description: 'The position of the message with the reference.' }),
        toolName: z.string().optional(),
        callId: z.string().optional(),
        inside: z
          .string()
          .optional()
          .meta({ description: 'The reference of the stored messages that contain this reference.' }),
      }),
    ),
  })
  .meta({ id: 'ReferencesAnswer' })

const statistics = {
  index: z.number().meta({ description: 'The position in the messages of the request, from 0.' }),
  role: z.string(),
  tokens: z.object({ before: z.number(), after: z.number() }),
  reason: z.string(),
}

const historyAnswerSchema = z
  .object({
    messages: z.unknown().meta({ description: 'The conversation to continue with.' }),
    applied: z.array(z.enum(['compact', 'compress'])),
    tokens: size,
    fits: z.boolean().meta({ description: 'Whether it is within its limit now.' }),
    obstacles: z.array(z.object({ ...statistics, explanation: z.string() })),
    statistics: z.array(z.object(statistics)),
    unchanged: z.number().meta({ description: 'Number of unchanged messages at the start.' }),
    stored: z.array(z.object({ name: z.string(), kind: z.string(), size: z.number(), index: z.number() })),
    failures: z.array(z.object({ step: z.enum(['store', 'summarize']), index: z.number(), reason: z.string() })),
  })
  .meta({ id: 'HistoryAnswer', description: 'The outcome for a history.' })

const expandAnswerSchema = z
  .object({
    messages: z.unknown(),
    missing: z
      .array(z.object({ name: z.string(), code: z.string() }))
      .meta({ description: 'References that could not be restored.' }),
  })
  .meta({ id: 'ExpandAnswer' })

export function historyRoutes(services: HistoryServices): readonly Route[] {
  return [compactRoute(services), expandRoute, referencesRoute]
}

const compactRoute = ({ summarize }: HistoryServices): Route =>
  defineRoute({
    method: 'post',
    path: '/v1/history/compact',
    operationId: 'compactHistory',
    summary: 'Make a history smaller, reversibly',
    description:
      'Large results of tools become references with short previews; if that is not enough, older messages become a ' +
      'summary. Everything is stored before it is replaced. With `Accept: text/event-stream` the answer is a stream of ' +
      '`progress` events that ends with `result` or `error`.',
    tag: 'History',
    body: historyRequestSchema,
    responses: { 200: { description: 'The outcome.', schema: historyAnswerSchema } },
    failureStatuses: { 502: 'The model gave no summary that can be used.' },
    async handle({ body }, context): Promise<Reply> {
      const { mode = 'auto' } = body
      const summarizing = requireSummarize(mode, summarize, context)
      const options = await historyOptions(body, context)
      const run = async (onProgress: (progress: HistoryProgress) => void): Promise<unknown> => {
        const outcome = await historyStep(context, { mode }, (onStep) =>
          compactHistory(body.messages, {
            ...options,
            summarize: summarizing,
            onProgress: (progress) => {
              onStep(progress)
              onProgress(progress)
            },
          }),
        )
        assertApplied(outcome)
        return outcomeJson(outcome)
      }
      if (!wantsEvents(context.headers)) return { json: await run(() => {}) }
      return eventStream(context, run)
    },
  })

const expandRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/history/expand',
  operationId: 'expandHistory',
  summary: 'Restore the stored parts of a history',
  tag: 'History',
  body: expandRequestSchema,
  responses: { 200: { description: 'The original history.', schema: expandAnswerSchema } },
  async handle({ body }, context) {
    return await context.telemetry.step('spillway.history.expand', {}, async () => {
      const { messages, missing } = await expandHistory(body.messages, {
        ...(await reloadOptions(body, context)),
        only: body.only,
      })
      return { json: { messages, missing: missing.map(({ name, error }) => ({ name, code: error.code })) } }
    })
  },
})

const referencesRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/history/references',
  operationId: 'historyReferences',
  summary: 'List the references in a history',
  description:
    'Also what the messages name that a summary stands for. `/v1/retrieve` searches and reads each by its name.',
  tag: 'History',
  body: referencesRequestSchema,
  responses: { 200: { description: 'The references.', schema: referencesAnswerSchema } },
  async handle({ body }, context) {
    const { references } = await reloadHistory(body.messages, await reloadOptions(body, context))
    return { json: { references } }
  },
})

type HistoryRequest = z.output<typeof referencesRequestSchema> & Partial<z.output<typeof historyRequestSchema>>

async function historyOptions(
  { format: name, messages, ...limits }: HistoryRequest,
  { tenant, signal }: RouteContext,
): Promise<HistoryOptions<unknown> & { readonly archive: HistoryArchive }> {
  const format = historyFormat(name)
  assertConversation(format, messages)
  const { offloader, files } = tenant()
  const own = name === 'reme' ? new FileArchive(files, REME_ARCHIVE()) : offloaderArchive(offloader)
  if (own instanceof FileArchive) await own.learn(Array.isArray(messages) ? messages : [])
  return { ...limits, offloader, format, signal, archive: own }
}

async function reloadOptions(request: HistoryRequest, context: RouteContext): Promise<HistoryOptions<unknown>> {
  const options = await historyOptions(request, context)
  return { ...options, archive: limitedArchive(options.archive, context.maxBytes, context.reserve) }
}

/** New files go here; existing ones are found anywhere. */
const REME_ARCHIVE = (): FileArchiveOptions => ({ folder: '', chatId: crypto.randomUUID(), previewLength: 100 })

function outcomeJson({ failures, obstacles, ...outcome }: HistoryOutcome<unknown>): unknown {
  const explained = obstacles.map((one) => ({ ...one, explanation: explainObstacle(one.explanation, 'library') }))
  return { ...outcome, obstacles: explained, failures: failureNotes(failures) }
}

const wantsEvents = (headers: Headers): boolean => headers.get('accept')?.includes('text/event-stream') === true

const KEEP_ALIVE_MS = 10_000

/** Sends `progress` events, then `result` or `error`. */
function eventStream(
  { call, describeFailure }: Pick<RouteContext, 'call' | 'describeFailure'>,
  run: (onProgress: (progress: HistoryProgress) => void) => Promise<unknown>,
): { readonly response: Response; readonly done: Promise<void> } {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  let isOpen = true
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => {
        if (!isOpen) return
        const bytes = encoder.encode(text)
        call.bytesOut += bytes.length
        controller.enqueue(bytes)
      }
      const event = (name: string, data: unknown): void => send(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      const timer = setInterval(() => send(': still at it\n\n'), KEEP_ALIVE_MS)
      try {
        event('result', await run((progress) => event('progress', progress)))
      } catch (error) {
        // The status is sent already, so the last event reports the failure.
        const { code, message, retryable } = describeFailure(error)
        call.code = code
        event('error', { error: { code, message, retryable } })
      } finally {
        clearInterval(timer)
        if (isOpen) controller.close()
        isOpen = false
        finish()
      }
    },
    cancel() {
      isOpen = false
    },
  })
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return { response: new Response(body, { headers }), done }
}

/** A few lines can name the same large content repeatedly. Content over the limit stays a reference. */
function limitedArchive(archive: HistoryArchive, maxBytes: number, reserve: (bytes: number) => void): HistoryArchive {
  let left = maxBytes
  return {
    store: (item, options) => archive.store(item, options),
    retrieve: async (name, options) => {
      if (left <= 0) throw tooLarge(name, maxBytes)
      const found = await archive.retrieve(name, options)
      left -= found.content.length
      if (left < 0) throw tooLarge(name, maxBytes)
      reserve(found.content.length)
      return found
    },
    ...(archive.has !== undefined && { has: archive.has.bind(archive) }),
    ...(archive.use !== undefined && { use: archive.use.bind(archive) }),
    writeReplacement: (replaced) => archive.writeReplacement(replaced),
    readReplacement: (text) => archive.readReplacement(text),
    writeSnapshot: (snapshot) => archive.writeSnapshot(snapshot),
    readSnapshot: (text) => archive.readSnapshot(text),
  }
}

const tooLarge = (reference: string, maxBytes: number): StorageError =>
  new StorageError('too-large', `At most ${maxBytes} bytes can be restored. Name fewer references.`, { reference })
