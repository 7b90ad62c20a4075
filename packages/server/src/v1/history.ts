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
  type ExpandOptions,
  type HistoryArchive,
  type HistoryFormat,
  type HistoryOptions,
  type HistoryOutcome,
} from '@spillway/history'
import { z } from 'zod'
import { FileArchive } from '../reme/file-archive.ts'
import { remeFormat } from '../reme/reme-format.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../routes/route.ts'
import {
  assertApplied,
  assertConversation,
  explainObstacle,
  failureNotes,
  requireSummarize,
  type HistoryServices,
} from './history-services.ts'

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

const tokens = z.number().positive()

const conversation = {
  format: z.enum(FORMAT_NAMES).meta({ description: 'The message format.' }),
  messages: z.unknown().meta({ description: 'Messages in the format of their API. The answer has the same format.' }),
}

const historyRequestSchema = z
  .strictObject({
    ...conversation,
    mode: z.enum(['compact', 'compress', 'auto']).optional().meta({ description: 'Defaults to auto.' }),
    maxTotalTokens: tokens.optional().meta({ description: 'Defaults to 20000.' }),
    maxToolMessageTokens: tokens.optional().meta({ description: 'Defaults to 2000.' }),
    keepRecent: z.int().min(0).optional().meta({ description: 'Defaults to 1 for compacting, 2 for compressing.' }),
    groupTokens: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Tokens of each group that is summarized. Defaults to 0, one group.' }),
    compactRatioThreshold: z.number().min(0).max(1).optional().meta({ description: 'Defaults to 0.75.' }),
    historyPreviewTokens: z.int().min(0).optional().meta({ description: 'Defaults to 50.' }),
    instructions: z.string().max(10_000).optional().meta({ description: 'Additional instructions for summaries.' }),
  })
  .meta({ id: 'HistoryRequest' })

const expandRequestSchema = z.strictObject(conversation).meta({ id: 'ExpandRequest' })

const size = z.object({ before: z.number(), after: z.number(), limit: z.number() })

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
    fits: z.boolean().meta({ description: 'Whether the history is within its limit now.' }),
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
  return [compactRoute(services), expandRoute]
}

const compactRoute = ({ summarize }: HistoryServices): Route =>
  defineRoute({
    method: 'post',
    path: '/v1/history/compact',
    operationId: 'compactHistory',
    summary: 'Make a history smaller, and keep what is needed to restore it',
    description:
      'Large results of tools become references with short previews; if that is not enough, older messages become a ' +
      'summary. Everything is stored before it is replaced.',
    tag: 'History',
    body: historyRequestSchema,
    responses: { 200: { description: 'The outcome.', schema: historyAnswerSchema } },
    failureStatuses: { 502: 'The model gave no summary that can be used.' },
    async handle({ body }, context): Promise<Reply> {
      const { mode = 'auto' } = body
      const summarizing = requireSummarize(mode, summarize, context)
      const options = await historyOptions(body, context)
      const outcome = await compactHistory(body.messages, { ...options, summarize: summarizing })
      assertApplied(outcome)
      return { json: outcomeJson(outcome) }
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
    const { messages, missing } = await expandHistory(body.messages, await expandOptions(body, context))
    return { json: { messages, missing: missing.map(({ name, error }) => ({ name, code: error.code })) } }
  },
})

type HistoryRequest = z.output<typeof expandRequestSchema> & Partial<z.output<typeof historyRequestSchema>>

async function historyOptions(
  { format: name, messages, ...limits }: HistoryRequest,
  { tenant, signal }: RouteContext,
): Promise<HistoryOptions<unknown> & { readonly archive: HistoryArchive }> {
  const format = FORMATS[name]()
  assertConversation(format, messages)
  const { offloader, files } = tenant()
  const reme = { folder: '', chatId: crypto.randomUUID(), previewLength: 100 }
  const own = name === 'reme' ? new FileArchive(files, reme) : offloaderArchive(offloader)
  if (own instanceof FileArchive) await own.learn(Array.isArray(messages) ? messages : [])
  return { ...limits, offloader, format, signal, archive: own }
}

async function expandOptions(
  request: z.output<typeof expandRequestSchema>,
  context: RouteContext,
): Promise<ExpandOptions<unknown>> {
  const { archive, ...options } = await historyOptions(request, context)
  return { ...options, archive: limitedArchive(archive, context.maxBytes, context.reserve) }
}

function outcomeJson({ failures, obstacles, ...outcome }: HistoryOutcome<unknown>): unknown {
  const explained = obstacles.map((one) => ({ ...one, explanation: explainObstacle(one.explanation, 'library') }))
  return { ...outcome, obstacles: explained, failures: failureNotes(failures) }
}

/** Limit the size of restored content: a few lines of a request can name large content many times. */
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
