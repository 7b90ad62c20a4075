import {
  compactHistory,
  expandHistory,
  offloaderArchive,
  planCompaction,
  reloadHistory,
  type HistoryArchive,
  type HistoryOptions,
  type HistoryOutcome,
  type HistoryProgress,
} from '@spillway/history'
import { eventStream } from '../history/event-stream.ts'
import { explainObstacle } from '../history/explain-obstacle.ts'
import { assertApplied, failureNotes } from '../history/history-failure.ts'
import { historyFormat } from '../history/history-formats.ts'
import { limitedArchive } from '../history/limited-archive.ts'
import { assertConversation, historyStep, type HistoryServices } from '../history/history-step.ts'
import { requireSummarize } from '../history/require-summarize.ts'
import { FileArchive, type FileArchiveOptions } from '../reme/file-archive.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../routes/route.ts'
import {
  expandAnswerSchema,
  expandRequestSchema,
  historyAnswerSchema,
  historyRequestSchema,
  planAnswerSchema,
  referencesAnswerSchema,
  referencesRequestSchema,
  type HistoryRequest,
} from './history-schemas.ts'

/** The endpoints of histories. */
export function historyRoutes(services: HistoryServices): readonly Route[] {
  return [compactRoute(services), planRoute(services), expandRoute, referencesRoute]
}

const compactRoute = ({ summarize }: HistoryServices): Route =>
  defineRoute({
    method: 'post',
    path: '/v1/history/compact',
    operationId: 'compactHistory',
    summary: 'Make a history smaller, reversibly',
    description:
      'Large results of tools become references with short previews; where that is not enough, older messages become a ' +
      'summary. Everything is stored before it is replaced. With `Accept: text/event-stream` the answer is a stream of ' +
      '`progress` events that ends with `result` or `error`.',
    tag: 'History',
    body: historyRequestSchema,
    responses: { 200: { description: 'What became of it.', schema: historyAnswerSchema } },
    failureStatuses: { 502: 'The model gave no summary that can be used.' },
    async handle({ body }, context): Promise<Reply> {
      const { mode = 'auto' } = body
      const summarizing = requireSummarize(mode, summarize)
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

const planRoute = ({ summarize }: HistoryServices): Route =>
  defineRoute({
    method: 'post',
    path: '/v1/history/plan',
    operationId: 'planCompaction',
    summary: 'Say what making a history smaller would do, without doing it',
    tag: 'History',
    body: historyRequestSchema,
    responses: { 200: { description: 'The plan.', schema: planAnswerSchema } },
    async handle({ body }, context) {
      const options = await historyOptions(body, context)
      return { json: planCompaction(body.messages, { ...options, summarize }) }
    },
  })

const expandRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/history/expand',
  operationId: 'expandHistory',
  summary: 'Put back into a history what was stored of it',
  tag: 'History',
  body: expandRequestSchema,
  responses: { 200: { description: 'The history as it was.', schema: expandAnswerSchema } },
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
  summary: 'List what a history names that is stored',
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

/** The same for what brings content back, of which a short request can name much. */
async function reloadOptions(request: HistoryRequest, context: RouteContext): Promise<HistoryOptions<unknown>> {
  const options = await historyOptions(request, context)
  return { ...options, archive: limitedArchive(options.archive, context.maxBytes, context.reserve) }
}

/** Where histories of ReMe go that are made smaller here: what they name is found wherever it is. */
const REME_ARCHIVE = (): FileArchiveOptions => ({ folder: '', chatId: crypto.randomUUID(), previewLength: 100 })

function outcomeJson({ failures, obstacles, ...outcome }: HistoryOutcome<unknown>): unknown {
  const explained = obstacles.map((one) => ({ ...one, explanation: explainObstacle(one.explanation, 'library') }))
  return { ...outcome, obstacles: explained, failures: failureNotes(failures) }
}

const wantsEvents = (headers: Headers): boolean => headers.get('accept')?.includes('text/event-stream') === true
